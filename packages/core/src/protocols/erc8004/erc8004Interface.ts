import type { ChainId } from '../../model/compositeId.ts'
import deployments from '../deployments.json' with { type: 'json' }
import { erc8004Adapter, feedbackId } from './erc8004Adapter.ts'

const { name } = erc8004Adapter

/** The chains of the known deployments by their names; other chains are asked for by their number. */
const networks: ReadonlyMap<string, ChainId> = new Map(
  deployments.filter(({ protocol }) => protocol === name).map(({ chain, chainId }) => [chain, chainId]),
)

/** The parts of ERC-8004 that the endpoints in the dialect of agent0lab's subgraph need. */
export const erc8004Interface = { name, networks, feedbackId }
