// Every random choice of a run comes from here, so that one seed fixes them all.
// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014):
// small, fast, the same on every platform, and well mixed even for neighbouring seeds.
#pragma once

#include <cmath>
#include <cstdint>

namespace hilsa {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  // An independent stream for one part of a run, for example a client in a trial.
  static Rng for_stream(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    Rng mixer(seed);
    mixer.state_ ^= Rng(a).next() + 0x9e3779b97f4a7c15ULL * (b + 1);
    return Rng(mixer.next());
  }

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  // Uniform in [0, bound); bound must be at least 1. The bias is below 2^-32 for bounds below 2^32.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Exponentially distributed with this mean: the gaps of a Poisson process.
  double exponential(double mean) { return -mean * std::log1p(-unit()); }

 private:
  std::uint64_t state_;
};

}  // namespace hilsa
