#!/usr/bin/env python3
"""Opens sample pages in headless Chromium, as a telephone and as a desk shows them, light and dark.

Asserts what only a browser knows: nothing is fetched, nothing is complained about, nothing is wider
than the screen, drawings are there and have a size, and what came from outside is text. Speaks
WebDriver's protocol over HTTP itself.

    browser_test.py HTML_TESTS CHROMEDRIVER CHROMIUM

HILSA_SCREENSHOTS=FOLDER keeps a picture of every page.
"""

import base64
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

SCREENS = {'phone': (390, 844), 'desk': (1440, 900)}
SCHEMES = ('light', 'dark')
# What a page must have, each with a size: pages not named here need none.
DRAWN = {
    'comparison': ('svg.cycle', '.timeline .step.waits .wait', 'table'),
    'write-skew': ('svg.cycle', '.timeline .step', 'table'),
    'deadlock': ('svg.cycle', 'table'),
    'explored': ('svg.cycle', '.timeline .step.waits .wait', '.step.failed'),
    'sustained': ('canvas',),
    'eight-lanes': ('svg.cycle', '.timeline.many .step'),
    'hostile': ('svg.cycle', '.timeline .step', 'canvas'),
    'demands': ('svg.cycle', 'nav.reports'),
    'huge': ('svg.cycle', '.timeline .step', 'canvas'),
    'index': ('table a',),
}

PRINTED = ('comparison', 'sustained')

# Looks at the page as it is now; returns what is wrong, in words.
LOOK = r'''
const wrong = [];
const page = document.scrollingElement;
// Not innerWidth: a telephone's grows with what is too wide.
const screen_width = arguments[1];
if (page.scrollWidth > screen_width) {
  let widest = '';
  for (const one of document.querySelectorAll('main *')) {
    if (one.getBoundingClientRect().right > screen_width + 0.5) {
      widest = one.outerHTML.slice(0, 200);
      break;
    }
  }
  wrong.push(`${page.scrollWidth} px wide on a screen of ${screen_width}: ${widest}`);
}
for (const one of document.querySelectorAll('main *')) {
  if (one.closest('details:not([open]) > :not(summary), thead, svg')) continue;
  const style = getComputedStyle(one);
  if (['auto', 'scroll'].includes(style.overflowX)) wrong.push('scrolls: ' + one.className);
  if (one.scrollWidth > one.clientWidth + 1 && style.display !== 'inline' && one.clientWidth > 0) {
    wrong.push(`wider than its box: ${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`);
  }
}
for (const selector of arguments[0]) {
  const found = [...document.querySelectorAll(selector)];
  if (found.length === 0) wrong.push('none of ' + selector);
  for (const one of found) {
    if (one.closest('details')) continue;
    const box = one.getBoundingClientRect();
    if (box.width < 8 || box.height < 8) wrong.push(`${selector} has no size`);
    if (box.left < 0 || box.right > screen_width + 0.5) wrong.push(`${selector} leaves the screen`);
  }
}
for (const canvas of document.querySelectorAll('canvas')) {
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
  if (!pixels.some(value => value !== 0)) wrong.push('an empty chart: ' + canvas.id);
}
const fetched = performance.getEntriesByType('resource').map(entry => entry.name)
    .filter(name => !name.startsWith('data:'));
if (fetched.length > 0) wrong.push('fetched ' + fetched);
const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
if (new Set(ids).size !== ids.length) wrong.push('an id twice');
for (const link of document.querySelectorAll('a[href^="#"]')) {
  if (!document.getElementById(link.getAttribute('href').slice(1))) wrong.push('a link to nowhere');
}
let level = 0;
for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) wrong.push('headings out of order at ' + heading.textContent.slice(0, 60));
  level = next;
}
if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
if (document.documentElement.lang !== 'en') wrong.push('no language');
if (document.title === 'hacked' || document.querySelector('img, iframe')) wrong.push('markup got in');

// Contrast by WCAG 2: of every text with what is painted behind it.
function channels(colour) {
  const parts = colour.match(/[\d.]+/g).map(Number);
  return parts.length < 4 || parts[3] > 0 ? parts.slice(0, 3) : null;
}
function luminance(rgb) {
  const [r, g, b] = rgb.map(value => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ground(one) {
  for (; one; one = one.parentElement) {
    const rgb = channels(getComputedStyle(one).backgroundColor);
    if (rgb) return rgb;
  }
  return [255, 255, 255];
}
const seen = new Set();
for (const one of document.querySelectorAll('main *, footer')) {
  const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '');
  if (!own || one.closest('details:not([open]) > :not(summary)')) continue;
  const style = getComputedStyle(one);
  const text = channels(one.tagName === 'text' ? style.fill : style.color);
  const key = one.tagName + one.className.baseVal + one.className + style.color;
  if (!text || seen.has(key)) continue;
  seen.add(key);
  const [light, dark] = [luminance(text), luminance(ground(one))].sort((a, b) => b - a);
  const contrast = (light + 0.05) / (dark + 0.05);
  if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(2)}: ${one.tagName} ${one.className}`);
}
return wrong;
'''


class Browser:
    """A session of ChromeDriver; ends with the `with` block, and the browser with it."""

    def __init__(self, chromedriver, chromium, folder):
        self.log = open(folder / 'chromedriver.log', 'wb')
        self.process = subprocess.Popen([chromedriver, '--port=0'], stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.port = self.port_from_words()
        flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
                 '--disable-background-networking', '--disable-component-update', '--disable-sync',
                 '--disable-dev-shm-usage', '--force-color-profile=srgb', '--hide-scrollbars',
                 f'--user-data-dir={folder / "profile"}']
        capabilities = {
            'browserName': 'chrome',
            'goog:chromeOptions': {'binary': chromium, 'args': flags},
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'},
        }
        reply = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': capabilities}})
        self.session = '/session/' + reply['sessionId']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask('DELETE', self.session)
        finally:
            self.process.terminate()
            self.process.wait()
            self.log.close()

    def port_from_words(self):
        for line in self.process.stdout:
            words = line.decode().split()
            if b'was started successfully on port' in line:
                return int(words[-1].rstrip('.'))
        sys.exit('chromedriver did not start')

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=120)
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {'Content-Type': 'application/json'})
        answer = connection.getresponse()
        value = json.loads(answer.read())['value']
        connection.close()
        if answer.status != 200:
            sys.exit(f'{method} {path}: {value.get("message", value)}')
        return value

    def call(self, path, body):
        return self.ask('POST', self.session + path, body)

    def devtools(self, command, **parameters):
        return self.call('/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def run(self, script, *arguments):
        return self.call('/execute/sync', {'script': script, 'args': list(arguments)})

    def words(self, kind):
        return self.call('/se/log', {'type': kind})

    def show_as(self, screen, scheme):
        width, height = SCREENS[screen]
        self.devtools('Emulation.setDeviceMetricsOverride', width=width, height=height,
                      deviceScaleFactor=1, mobile=screen == 'phone')
        self.devtools('Emulation.setEmulatedMedia',
                      features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def picture(self, path):
        width, height = self.run('const page = document.scrollingElement;'
                                 'return [innerWidth, page.scrollHeight];')
        clip = {'x': 0, 'y': 0, 'width': width, 'height': min(height, 12_000), 'scale': 1}
        shot = self.devtools('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                             clip=clip)
        path.write_bytes(base64.b64decode(shot['data']))

    def paper(self):
        pdf = self.devtools('Page.printToPDF', printBackground=True)
        return base64.b64decode(pdf['data'])


def requests_of(browser, address):
    """What the browser asked for beyond the page itself."""
    asked = []
    for entry in browser.words('performance'):
        message = json.loads(entry['message'])['message']
        if message['method'] != 'Network.requestWillBeSent':
            continue
        if message['params'].get('documentURL') != address:
            continue  # the browser's own first page
        url = message['params']['request']['url']
        if url != address and not url.startswith('data:'):
            asked.append(url)
    return asked


def look_at(browser, page, screen, scheme, pictures):
    address = page.as_uri()
    browser.show_as(screen, scheme)
    started = time.monotonic()
    browser.call('/url', {'url': address})
    took = time.monotonic() - started
    looking = (LOOK, DRAWN.get(page.stem, ()), SCREENS[screen][0])
    wrong = browser.run(*looking)
    if pictures:
        browser.picture(pictures / f'{page.stem}-{screen}-{scheme}.png')
    wrong += [f'asks for {url}' for url in requests_of(browser, address)]
    wrong += [entry['message'] for entry in browser.words('browser')]
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true;")
    wrong += ['opened: ' + what for what in browser.run(*looking)]
    return [f'{page.stem}, {screen}, {scheme}: {what}' for what in wrong], took


# What this test must find where it is planted.
PLANTED = '<img alt="" src="http://127.0.0.1:9/x.png" /><div style="width:1500px">wide</div>'
ALARMS = ('px wide on a screen', 'asks for http://127.0.0.1:9', 'Content Security Policy',
          'markup got in')


def silent_alarms(browser, page):
    """Those that a page with all that is forbidden does not set off."""
    planted = page.with_name('planted.html')
    planted.write_text(page.read_text().replace('</main>', PLANTED + '</main>'))
    wrong = []
    for screen in SCREENS:
        found = '\n'.join(look_at(browser, planted, screen, 'light', None)[0])
        wrong += [f'planted, {screen}: not found: {alarm}' for alarm in ALARMS
                  if alarm not in found]
    return wrong


def main():
    tests, chromedriver, chromium = sys.argv[1:]
    pictures = os.environ.get('HILSA_SCREENSHOTS')
    pictures = pathlib.Path(pictures).resolve() if pictures else None
    with tempfile.TemporaryDirectory(prefix='hilsa-pages-') as name:
        folder = pathlib.Path(name)
        subprocess.run([tests, '--gtest_filter=Pages.*', '--gtest_brief=1'], check=True,
                       env=dict(os.environ, HILSA_WRITE_PAGES=name))
        pages = sorted(folder.glob('*.html'))
        missing = set(DRAWN) - {page.stem for page in pages}
        wrong = [f'no page {name}' for name in sorted(missing)]
        for page in pages:
            xml.etree.ElementTree.parse(page)  # well-formed, or an exception says where not
        with Browser(chromedriver, chromium, folder) as browser:
            wrong += silent_alarms(browser, folder / 'deadlock.html')
            for page in pages:
                for screen in SCREENS:
                    for scheme in SCHEMES:
                        found, took = look_at(browser, page, screen, scheme, pictures)
                        wrong += found
                        print(f'{page.stem}, {screen}, {scheme}: {page.stat().st_size} bytes, '
                              f'loaded in {took:.2f} s')
                if page.stem in PRINTED:
                    pdf = browser.paper()
                    if pictures:
                        (pictures / f'{page.stem}.pdf').write_bytes(pdf)
                    wrong += [f'{page.stem}, printed: {entry["message"]}'
                              for entry in browser.words('browser')]
    for what in wrong:
        print(what, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
