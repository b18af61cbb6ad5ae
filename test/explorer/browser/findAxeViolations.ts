import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that depend on colours; another theme can break no other rule. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** A table draws all its rows alike; the colours of each element cost a millisecond. */
const context = { exclude: ['tbody > tr:nth-child(n + 11)'] }

/** The accessibility faults that axe finds in a page, or only in its colours, one line each. */
export async function findAxeViolations(page: Page, what: 'all' | 'colours' = 'all'): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(what === 'colours' && { runOnly: { type: 'rule', values: colourRules } }),
  }
  const session = await page.context().newCDPSession(page)
  try {
    // The debugger protocol bypasses the Content-Security-Policy of the page.
    const { result: type } = await session.send('Runtime.evaluate', { expression: 'typeof axe' })
    if (type.value === 'undefined') {
      await session.send('Runtime.evaluate', { expression: axe.source, silent: true })
    }
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => JSON.stringify(violations))`,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(`axe failed: ${exceptionDetails.text}`)
    const violations = JSON.parse(String(result.value)) as AxeResults['violations']
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} (${node.failureSummary ?? ''})`),
    )
  } finally {
    await session.detach()
  }
}
