import { beforeAll, describe, expect, test } from 'vitest'
import {
  attestationRow,
  detailedRow,
  foundAddress,
  foundAttestation,
  foundSchema,
  schemaRow,
  type ExpectedAnswers,
  type Row,
} from './expectedAnswers.ts'
import { keywordCases } from './keywordCases.ts'
import { expectListing, expectRefusal, fewSizes, getData } from './servedAnswers.ts'
import type { ServedScenario } from './servedScenario.ts'

export interface SearchedScenario {
  readonly scenario: ServedScenario
  readonly answers: ExpectedAnswers
}

/** The tests of search. `given` returns the served scenario; hooks of the calling file start it. */
export function describeSearch(given: () => SearchedScenario): void {
  let scenario: ServedScenario
  let answers: ExpectedAnswers
  beforeAll(() => {
    ;({ scenario, answers } = given())
  })

  describe('a keyword', () => {
    test.each(Object.keys(keywordCases))(
      '%s finds in a search what it should, and nothing else',
      async (name) => {
        for (const { keyword, schema, attestation, addresses } of keywordCases[name]?.(answers) ?? []) {
          const path = `/scan/search?keyword=${encodeURIComponent(keyword)}`
          const groups = [
            { type: 'schema', rows: answers.schemas.filter(schema ?? nothing).map(foundSchema) },
            {
              type: 'attestation',
              rows: answers.attestations.filter(attestation ?? nothing).map(foundAttestation),
            },
            {
              type: 'address',
              rows: answers.addresses
                .filter(addresses ?? nothing)
                .map((address) => foundAddress(address, answers)),
            },
          ]
          const { queryResult } = (await getData(scenario, path)) as { queryResult: readonly SearchGroup[] }
          const told = queryResult.filter(({ type }) => type !== 'value')
          expect(told.map(({ type }) => type)).toEqual(groups.map(({ type }) => type))
          for (const [i, { type, rows }] of groups.entries()) {
            const group = queryResult[i] ?? { type, rows: [], total: Number.NaN }
            expect(group.total, `${keyword}: ${type}`).toBe(rows.length)
            expect(Object.keys(group).sort()).toEqual(['rows', 'total', 'type'])
            // The contract does not say which ten of more rows a group shows.
            expect(group.rows, `${keyword}: ${type}`).toHaveLength(Math.min(10, rows.length))
            for (const row of group.rows) expect(rows).toContainEqual(row)
            expect(new Set(group.rows.map((row) => row.id ?? row.address)).size).toBe(group.rows.length)
            expect(await getData(scenario, `${path}&filter=${type}`)).toStrictEqual({ queryResult: [group] })
          }
        }
      },
    )

    test.each(Object.keys(keywordCases))('%s filters the listings alike, in their order', async (name) => {
      for (const { keyword, schema, attestation } of keywordCases[name]?.(answers) ?? []) {
        const query = `keyword=${encodeURIComponent(keyword)}`
        const schemas = answers.schemas.filter(schema ?? nothing)
        const attestations = answers.attestations.filter(attestation ?? nothing)
        await expectListing(
          scenario,
          `/scan/schemas?${query}`,
          schemas.map((each) => schemaRow(each, answers)),
          fewSizes,
        )
        await expectListing(
          scenario,
          `/scan/attestations?${query}`,
          attestations.map(attestationRow),
          fewSizes,
        )
        await expectListing(
          scenario,
          `/scan/attestations?fields=detail&schemaId=onchain_evm_31337_0x1&${query}`,
          attestations
            .filter(({ fullSchemaId }) => fullSchemaId === 'onchain_evm_31337_0x1')
            .map((each) => detailedRow(each, answers)),
          fewSizes,
        )
      }
    })

    test('that is exact comes before those that it begins', async () => {
      const { queryResult } = (await getData(scenario, '/scan/search?keyword=0x1')) as {
        queryResult: readonly SearchGroup[]
      }
      for (const { rows } of queryResult.slice(0, 2)) {
        expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([
          'onchain_evm_11155111_0x1',
          'onchain_evm_31337_0x1',
        ])
      }
    })

    test('that is absent or empty finds nothing', async () => {
      const empty = ['schema', 'attestation', 'address'].map((type) => ({ type, rows: [], total: 0 }))
      for (const query of ['', '?keyword=', '?keyword=%20%0A']) {
        expect(await getData(scenario, `/scan/search${query}`)).toStrictEqual({ queryResult: empty })
      }
    })

    test('that is too long, holds a NUL or goes with an unknown filter is refused', async () => {
      await expectRefusal(scenario, `/scan/search?keyword=${'k'.repeat(257)}`, 400, 'keyword')
      await expectRefusal(scenario, '/scan/search?keyword=a%00b', 400, 'keyword')
      await expectRefusal(
        scenario,
        '/scan/search?keyword=a&filter=schemas',
        400,
        'schema, attestation, address, value, agent or name',
      )
      expect(await getData(scenario, `/scan/search?keyword=%20${'k'.repeat(256)}%20`)).toBeDefined()
    })
  })
}

interface SearchGroup {
  readonly type: string
  readonly rows: readonly Row[]
  readonly total: number
}

function nothing(): boolean {
  return false
}
