import { expect } from 'vitest'
import type { Row } from './expectedAnswers.ts'
import type { ServedScenario } from './servedScenario.ts'

/** Requests to the program that serves a scenario, and assertions on the answers. */

/** The `data` of a successful answer. Asserts the whole envelope. */
export async function getData({ url }: ServedScenario, path: string): Promise<unknown> {
  const response = await fetch(url + path)
  const { data, ...envelope } = (await response.json()) as Record<string, unknown>
  expect(envelope, path).toStrictEqual({ success: true, statusCode: 200, message: 'ok' })
  expect(response.status).toBe(200)
  return data
}

/** Asserts the envelope of an error. Its message must contain `named`. */
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

/** For one of many similar listings. The contract suite of the stores tries other sizes. */
export const fewSizes = [3, 100]

/**
 * Compares a listing with all of its rows: every page at every size, the page past the end, and the totals. Times of
 * storing in rows must lie within the run.
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
  // Only a revocation changes an attestation.
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
