import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText } from '../../pipeline/cleanText.ts'
import { createPageTemplate, renderPage } from './pageTemplate.ts'

const html =
  '<html><head><meta name="description" content="Built" /><title>Built</title><script src="/a.js"></script></head><body><div id="root"></div></body></html>'
const template = createPageTemplate(html)

describe('a page', () => {
  test('has the head of its address in place of the one that it was built with', () => {
    const page = renderPage(template, { title: 'One', description: 'Two' })
    expect(page).toContain('<title>One</title>')
    expect(page).toContain('<meta name="description" content="Two" />')
    expect(page).toContain('<meta property="og:title" content="One" />')
    expect(page).toContain('<meta property="og:description" content="Two" />')
    expect(page).toContain('<meta name="twitter:card" content="summary" />')
    expect(page).not.toContain('Built')
    expect(page).toContain('<script src="/a.js"></script></head><body><div id="root">')
  })

  test('shows its heading until the app draws it', () => {
    const page = renderPage(template, { title: 'One <b> · Attestry', description: 'Two' })
    expect(page).toContain(
      '<div id="root"><div class="shell"><header>Attestry</header><main><div aria-busy="true"><h1>One &#60;b&#62;</h1><p>Two</p></div></main></div></div></body>',
    )
    expect(renderPage(template, { title: 'One', description: '', heading: 'Three' })).toContain(
      '<h1>Three</h1>',
    )
  })

  test('that was built without a title gets one', () => {
    const page = renderPage(createPageTemplate('<head></head>'), { title: 'One', description: '' })
    expect(page).toMatch(/^<head><title>One<\/title>.*<\/head>$/s)
  })

  test('escapes every text of a chain', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('</title><script>alert(1)</script>', '" onload="x', "'><img src=x>", '$&$1$`'),
    )
    fc.assert(
      fc.property(hostile, hostile, (title, description) => {
        const page = renderPage(template, { title, description })
        const own = page
          .slice(template.before.length, page.length - template.after.length)
          .replace(template.between, '')
        // Without the nine elements and the shell, and with neither quote nor bracket in their values, the head is
        // empty.
        const text = '[^<>"\']*'
        const elements = new RegExp(
          `<title>${text}</title>|<meta (?:name|property)="[a-z:_]+" content="${text}" />|` +
            `<div class="shell"><header>Attestry</header><main><div aria-busy="true"><h1>${text}</h1><p>${text}</p></div></main></div>`,
          'g',
        )
        expect(own.match(elements)).toHaveLength(10)
        expect(own.replaceAll(elements, '').trim()).toBe('')
      }),
    )
  })

  test('cuts long text between characters', () => {
    const page = renderPage(template, { title: '😀'.repeat(20_000), description: 'x'.repeat(20_000) })
    expect(page).toContain(`<title>${'😀'.repeat(89)}…</title>`)
    expect(page.length).toBeLessThan(2_500)
  })
})

test.each([
  ['KYC \u202Elevel\u202C', 'KYC level'],
  ['a\u200Bb\u2066c\uFEFFd', 'abcd'],
  [' two\n\n lines\t', 'two lines'],
  ['\uD800 half', 'half'],
  ['学位证书 émoji 😀', '学位证书 émoji 😀'],
])('%j is cleaned to %j', (text, expected) => {
  expect(cleanText(text)).toBe(expected)
})
