import { expect, test } from 'vitest'
import { findSection, putFirst, putSection } from './keepSection.ts'

const report = '# Report\n\nMade today.\n\n## Serving\n\nfast\n\n## Ingest\n\nslow\n'

test('a summary goes before all figures', () => {
  const written = putFirst(report, '## In short\n\n- $& fast')
  expect(written).toBe(report.replace('## Serving', () => '## In short\n\n- $& fast\n\n## Serving'))
  expect(findSection(written, '## In short')).toBe('## In short\n\n- $& fast')
})

test('a section replaces the one of its title alone, or is appended', () => {
  expect(putSection(report, '## Serving', '## Serving\n\nfaster')).toBe(report.replace('fast', 'faster'))
  expect(putSection(report, '## Size', '## Size\n\nlarge')).toBe(`${report}\n## Size\n\nlarge\n`)
})
