import { noOffchainRecords } from './records/offchainRecords.ts'
import { expect, test } from 'vitest'
import { createEffort } from './pipeline/effort/createEffort.ts'
import { createEasContext } from '@attestry/subgraphs/eas/easContext.ts'
import { createErc8004Context } from '@attestry/subgraphs/erc8004/erc8004Context.ts'
import { createRequestContext } from './interfaces/graphql/requestContext.ts'
import { createVeraxContext } from '@attestry/subgraphs/verax/veraxContext.ts'

const effort = {
  ...createEffort({ sharesThread: true, isEnded: () => false }),
  hold: () => Promise.resolve(),
}
const services = {
  reader: {},
  protocol: { name: 'eas' },
  limits: {},
  names: {},
  content: null,
  offchainRecords: noOffchainRecords,
}

test.each([
  ['/graphql', () => createRequestContext(services as never, effort)],
  ['/eas', () => createEasContext(services as never, { chainId: 1 } as never, effort)],
  ['/verax', () => createVeraxContext(services as never, { chainId: 1 } as never, effort)],
  ['/erc8004', () => createErc8004Context(services as never, { chainId: 1 } as never, effort)],
])(
  'the context of a request for %s has no getters, which would keep the whole request in memory',
  (_path, create) => {
    const descriptors = Object.values(Object.getOwnPropertyDescriptors(create()))
    expect(descriptors.length).toBeGreaterThan(0)
    expect(descriptors.filter(({ get }) => get !== undefined)).toEqual([])
  },
)
