// Prints `N passed, N failed` for a report of vitest's JSON reporter, and exits 1 unless some test ran and all passed. A file
// that could not even be loaded has no tests in the report; it counts as one that failed.
import { readFileSync } from 'node:fs'

const counts = countTests(process.argv[2])
const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exit(counts.passed > 0 && counts.failed === 0 ? 0 : 1)

function countTests(path) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let report
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return counts
  }
  for (const file of report.testResults) {
    const before = counts.failed
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed++
      else if (status === 'failed') counts.failed++
      else counts.skipped++
    }
    if (file.status === 'failed' && counts.failed === before) counts.failed++
  }
  return counts
}
