import { Type } from 'typebox'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { ensSchema, labelsSchema, resolveNames, type NamesConfig } from './namesSchema.ts'

const keys = { labels: Type.Optional(labelsSchema), ens: Type.Optional(ensSchema) }

/** Names of addresses and schemas, from the operator and ENS. */
export const namesWing: Wing<NamesConfig, typeof keys, NoKeys> = {
  name: 'names',
  keys,
  resolve: ({ file: { labels, ens } }) => resolveNames(labels, ens),
  mayLackVariable: ([block]) => block === 'ens',
  secretsOf: ({ ensRpc }) => (ensRpc === null ? [] : [ensRpc]),
  serve: async ({ logger }, { labels, ensRpc }) => {
    const { createNames } = await import('./createNames.ts')
    const { createEns } = await import('./createEns.ts')
    const ens =
      ensRpc === null ? null : await createEns({ rpc: ensRpc, onFailure: (message) => logger.warn(message) })
    const names = createNames(labels, ens)
    return { provides: () => ({ names }) }
  },
}
