import { expect, test } from 'vitest'
import { readGuide } from '@attestry/server/interfaces/guide/readGuide.ts'
import { guideOf, linkedGuide } from './guideOf.ts'

test('each link from a page leads to a page and a heading of the guide', () => {
  const pages = readGuide()
  for (const link of linkedGuide) {
    const [name = '', anchor] = link.split('#')
    const anchors = pages.get(name)?.sections.map((section) => section.anchor) ?? []
    expect([link, anchor === undefined ? anchors.length > 0 : anchors.includes(anchor)]).toEqual([link, true])
  }
})

test('a page without a part of its own leads to the list', () => {
  expect([guideOf('/'), guideOf('/nope'), guideOf('/gate'), guideOf('/chain/1')]).toEqual([
    '/guide',
    '/guide',
    '/guide/gate',
    '/guide/watch#is-it-fresh',
  ])
})
