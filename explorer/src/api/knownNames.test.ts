import { expect, test } from 'vitest'
import { knownName, learnNames } from './knownNames.ts'

const name = { name: 'Ada', link: null, source: 'ens' }

test('names come with single records, rows, groups of a search and records of a transaction', () => {
  const names = (id: string) => ({ names: { [id]: name } })
  learnNames({ ...names('0xa'), rows: [names('0xb'), null], schemas: [names('0xc')] })
  learnNames({ queryResult: [{ type: 'address', rows: [names('0xd')] }], attestations: [names('0xe')] })
  for (const id of ['0xa', '0xb', '0xc', '0xd', '0xe']) expect(knownName(id)).toEqual(name)
})

test('the registration of an agent and the payload of a record give no names', () => {
  const names = { '0xf': name }
  learnNames({
    registration: { names },
    decodedData: [{ names, value: [{ names }] }],
    metadata: { rows: [{ names }] },
  })
  expect(knownName('0xf')).toBeUndefined()
})
