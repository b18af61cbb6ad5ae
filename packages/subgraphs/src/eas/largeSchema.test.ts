import { afterAll, expect, test } from 'vitest'
import { createEasTestServer } from '@attestry/server/testing/easServer.ts'

/** A schema of 1,100 attestations, and a budget below the number of all rows. */
const { app, ask, attestations } = createEasTestServer({}, { count: 3_300, limits: { rows: 1_200 } })
afterAll(() => app.close())

test('under a schema of many attestations a pair finds payloads that the SDK alone reads', async () => {
  // Of the schema 'string country,uint8 level'.
  const schemaId = attestations[2]?.['schemaId']
  const found: number[] = []
  for (const level of [0, 3]) {
    const pair = `"name":"level","type":"uint8","value":${level}}`
    const rows = attestations.filter(
      (row) => row['schemaId'] === schemaId && String(row['decodedDataJson']).includes(pair),
    )
    const { data } = await ask(
      'query($where: AttestationWhereInput) { attestations(where: $where, take: 1000) { id } }',
      { where: { schemaId: { equals: schemaId }, decodedDataJson: { contains: pair } } },
    )
    expect(data).toEqual({ attestations: rows.map(({ id }) => ({ id })) })
    found.push(rows.filter(({ data: payload }) => String(payload).length % 64 !== 2).length)
  }
  expect(Math.min(...found)).toBeGreaterThan(5)
})

test('a whole text is found without a schema, also where more rows pass than may be read', async () => {
  const schemaId = attestations[2]?.['schemaId']
  const [first] = attestations.filter(
    (row) => row['schemaId'] === schemaId && String(row['decodedDataJson']).includes('"FR"'),
  )
  const equals = String(first?.['decodedDataJson'])
  const rows = attestations.filter(
    ({ decodedDataJson, revoked }) => decodedDataJson === equals && revoked === false,
  )
  expect(rows.length).toBeGreaterThan(10)
  const query = 'query($where: AttestationWhereInput) { attestations(where: $where, take: 1000) { id } }'
  const where = { decodedDataJson: { equals }, revoked: { equals: false } }
  expect((await ask(query, { where })).data).toEqual({ attestations: rows.map(({ id }) => ({ id })) })
  const { errors } = await ask(query, { where: { decodedDataJson: { contains: 'nothing of it' } } })
  expect(errors?.[0]?.message).toMatch(/more than 1,200 rows \(limit rows\)/)
})

test('a nested list is whole, and a list at the root has 100 rows without take', async () => {
  const schemaId = attestations[2]?.['schemaId']
  const nested = 'query($id: String!) { schema(where: {id: $id}) { attestations { id } } }'
  const under = attestations.filter((row) => row['schemaId'] === schemaId)
  expect(under.length).toBe(1_100)
  expect((await ask(nested, { id: schemaId })).data).toEqual({
    schema: { attestations: under.map(({ id }) => ({ id })) },
  })
  expect((await ask('{ attestations { id } }')).data).toEqual({
    attestations: attestations.slice(0, 100).map(({ id }) => ({ id })),
  })
})
