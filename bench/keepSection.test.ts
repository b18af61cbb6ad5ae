import { expect, test } from 'vitest'
import { putReport, putSection } from './keepSection.ts'

const report = '# Report\n\nMade today.\n\n## Serving\n\nfast\n\n## Ingest\n\nslow\n'

test('a report replaces the introduction and its own sections, and keeps the summary and all others', () => {
  const earlier =
    '# Report\n\nMade before.\n\n## In short\n\n- fast\n\n## Serving\n\nslow\n\n## Size\n\nlarge\n'
  expect(putReport(earlier, report)).toBe(
    '# Report\n\nMade today.\n\n## In short\n\n- fast\n\n## Serving\n\nfast\n\n## Size\n\nlarge\n\n## Ingest\n\nslow\n',
  )
  expect(putReport('', report)).toBe(report)
})

test('a section replaces only the one of the same title, or is appended', () => {
  expect(putSection(report, '## Serving', '## Serving\n\nfaster')).toBe(report.replace('fast', 'faster'))
  expect(putSection(report, '## Size', '## Size\n\nlarge')).toBe(`${report}\n## Size\n\nlarge\n`)
})
