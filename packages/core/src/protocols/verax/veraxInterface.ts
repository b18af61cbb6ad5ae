import type { ChainId } from '../../model/compositeId.ts'
import deployments from '../deployments.json' with { type: 'json' }
import { decodeSubject } from './decodeSubject.ts'
import { veraxAdapter } from './veraxAdapter.ts'

const { name } = veraxAdapter

/** The chains of the known deployments by their names; other chains are asked for by their number. */
const networks: ReadonlyMap<string, ChainId> = new Map(
  deployments.filter(({ protocol }) => protocol === name).map(({ chain, chainId }) => [chain, chainId]),
)

/** The parts of Verax that the endpoints in the dialect of its subgraph need. */
export const veraxInterface = { name, networks, decodeSubject }
