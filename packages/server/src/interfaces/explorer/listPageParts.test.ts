import { expect, test } from 'vitest'
import { listPageParts } from './listPageParts.ts'

const html = '<script type="module" crossorigin src="/assets/main.js"></script>'
const manifest = {
  'index.html': { file: 'assets/main.js', css: ['assets/main.css'] },
  'src/pages/home/HomePage.tsx': {
    file: 'assets/home.js',
    imports: ['index.html', '_shared.js'],
    css: ['assets/home.css'],
  },
  '_shared.js': {
    file: 'assets/shared.js',
    imports: ['_shared.js', '_absent.js'],
    css: ['assets/shared.css'],
  },
}

test('names the files that a page needs beyond those of every page, once each, also in import cycles', () => {
  const parts = listPageParts(manifest, `${html}<link rel="stylesheet" href="/assets/main.css">`)
  expect(parts.get('home')).toBe(
    '<link rel="stylesheet" crossorigin href="/assets/shared.css">' +
      '<link rel="stylesheet" crossorigin href="/assets/home.css">' +
      '<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/shared.js">' +
      '<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/home.js">',
  )
})

test('names no files for a page that the build does not list', () => {
  expect(listPageParts({}, html).get('schema')).toBe('')
})
