import { expect } from 'vitest'
import type { Row } from './expectedAnswers.ts'
import type { ServedScenario } from './servedScenario.ts'

/** Questions to the program that serves a scenario, each held against what must come back. */

/** The `data` of a successful answer, whose envelope is held to be whole. */
export async function getData({ url }: ServedScenario, path: string): Promise<unknown> {
  const response = await fetch(url + path)
  const { data, ...envelope } = (await response.json()) as Record<string, unknown>
  expect(envelope, path).toStrictEqual({ success: true, statusCode: 200, message: 'ok' })
  expect(response.status).toBe(200)
  return data
}

/** Holds an error's envelope; `named` is what its message must name. */
export async function expectRefusal(
  { url }: ServedScenario,
  path: string,
  status: number,
  named: string,
): Promise<void> {
  const response = await fetch(url + path)
  const body: unknown = await response.json()
  expect(body, path).toStrictEqual({
    success: false,
    statusCode: status,
    data: {},
    message: expect.stringContaining(named),
  })
  expect(response.status, path).toBe(status)
}

const pageSizes = [1, 3, 10, 100]

/**
 * Holds a listing against all of its rows: every page at every size, the one past the end, and the totals. Times of storing,
 * where rows have them, must lie within the run.
 */
export async function expectListing(
  scenario: ServedScenario,
  path: string,
  rows: readonly Row[],
  sizes: readonly number[] = pageSizes,
): Promise<void> {
  for (const size of sizes) {
    const pages = Math.ceil(rows.length / size) + 1
    for (let page = 1; page <= pages; page++) {
      const pagedPath = `${path}${path.includes('?') ? '&' : '?'}page=${page}&size=${size}`
      const data = (await getData(scenario, pagedPath)) as { rows: readonly Row[] }
      const found = { ...data, rows: data.rows.map((row) => withoutTimes(scenario, row)) }
      const expected = { total: rows.length, rows: rows.slice((page - 1) * size, page * size), page, size }
      expect(found, pagedPath).toStrictEqual(expected)
    }
  }
}

function withoutTimes(scenario: ServedScenario, row: Row): Row {
  const { syncAt, lastSyncAt, ...rest } = row
  if (syncAt !== undefined) expectWithinRun(scenario, syncAt)
  // An attestation that was revoked was changed; one that was not, never.
  if (lastSyncAt !== undefined) {
    if (row.revoked === true) expectWithinRun(scenario, lastSyncAt)
    else expect(lastSyncAt).toBe(null)
  }
  return rest
}

function expectWithinRun({ startedMs, readyMs }: ServedScenario, timeMs: unknown): void {
  expect(timeMs).toEqual(expect.stringMatching(/^[0-9]{13}$/))
  expect(Number(timeMs)).toBeGreaterThanOrEqual(startedMs)
  expect(Number(timeMs)).toBeLessThanOrEqual(readyMs)
}
