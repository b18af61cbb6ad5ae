import { afterAll, expect, test } from 'vitest'
import type { Hex } from '@attestry/core/model/hex.ts'
import { createServer } from '../../testing/createServer.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { sampleAttestation, sampleSchema } from '../../pipeline/testing/sampleRecords.ts'

const payload = `0x${'ab'.repeat(1_500_000)}` as Hex
const index = createTestIndex({
  schemas: [sampleSchema(1)],
  attestations: [1, 2, 3, 4].map((number) => sampleAttestation(number, { data: payload })),
})
const app = createServer({ reader: openTestIndex(index) })
afterAll(() => app.close())

interface Page {
  readonly message: string
  readonly data: { readonly rows: readonly { readonly data: Hex }[] }
}

async function read(query: string): Promise<Page & { readonly statusCode: number }> {
  const response = await app.inject(`/index/attestations?${query}`)
  return { ...response.json<Page>(), statusCode: response.statusCode }
}

test('a page of few long payloads has all of them', async () => {
  const { statusCode, data } = await read('size=2')
  expect(statusCode).toBe(200)
  expect(data.rows.map((row) => row.data === payload)).toEqual([true, true])
})

test('a page of too many bytes is refused with the number of rows that are fewer', async () => {
  expect(await read('size=10')).toMatchObject({
    statusCode: 400,
    message:
      'size: the rows of this page have more than 4,194,304 bytes of data; the first 2 of them have fewer.',
  })
})
