// Room for arrays that are gone through often and may be very large. In ordinary pages of 4 KiB the
// first touch of each costs more than the work on what is in it, and addresses are looked up all
// the time; so where the system has larger pages, the array's room is asked for in those.
#pragma once

#include <cstddef>
#include <vector>

namespace hilsa {

// Before the first touch of the bytes. Changes nothing but how long things take, and nothing at all
// for what is small or where there are no such pages.
void prefer_huge_pages(void* begin, std::size_t bytes);

// As reserve(). For a vector without elements that is filled afterwards.
template <typename T>
void reserve_large(std::vector<T>& array, std::size_t size) {
  array.reserve(size);
  prefer_huge_pages(array.data(), array.capacity() * sizeof(T));
}

// A vector of so many equal elements.
template <typename T>
std::vector<T> large_array(std::size_t size, T value) {
  std::vector<T> array;
  reserve_large(array, size);
  array.resize(size, value);
  return array;
}

}  // namespace hilsa
