import { type Address, type Hash, type Hex, zeroHash } from '../../model/hex.ts'
import type { FurtherRegistries } from '../../model/indexedContract.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { createTypeSearch } from '../abi/eventTypes.ts'
import { readStrings } from '../abi/eventValues.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { veraxEventTypes } from './veraxAbi.ts'

/** The content of a log of a deployment's contracts. */
export type VeraxEvent =
  | { readonly kind: 'attestationRegistered'; readonly id: Hash }
  | VeraxRevocation
  | { readonly kind: 'replaced'; readonly id: Hash; readonly replacedBy: Hash }
  | VeraxSchemaCreated
  | { readonly kind: 'contextUpdated'; readonly id: Hash }
  | { readonly kind: 'portalRevoked'; readonly registered: Address }
  | VeraxRegistered
  | { readonly kind: 'undecodable'; readonly reason: string }

export interface VeraxRevocation {
  readonly kind: 'revoked'
  readonly id: Hash
  /** The replacement, which only v2 names; null: not replaced, or named by another log of the transaction. */
  readonly replacedBy: Hash | null
}

export interface VeraxSchemaCreated {
  readonly kind: 'schemaCreated'
  readonly id: Hash
  readonly name: string
  readonly description: string
  /** Often the address of a vocabulary. */
  readonly context: string
  readonly schema: string
}

export interface VeraxRegistered {
  readonly kind: 'portalRegistered' | 'moduleRegistered'
  readonly name: string
  readonly description: string
  /** Of the portal or module. */
  readonly registered: Address
}

/** The contracts of a deployment. */
export type VeraxAddresses = Pick<Deployment, 'address' | 'schemaRegistry'> & FurtherRegistries

/** Decodes a log of one of the contracts. A log from a contract that does not emit its event is undecodable. */
export function decodeVeraxEvent(
  deployment: VeraxAddresses,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): VeraxEvent {
  const type = findType(deployment, log)
  if (typeof type === 'string') return undecodable(type)
  const reader = new AbiReader(log.data)
  const event = readEvent(type.kind, log.topics, reader)
  const problem = reader.finish()
  return problem === null ? event : undecodable(`${type.signature}: ${problem}`)
}

const findType = createTypeSearch('Verax', veraxEventTypes)

function readEvent(
  kind: (typeof veraxEventTypes)[number]['kind'],
  topics: readonly Hex[],
  data: AbiReader,
): VeraxEvent {
  // A topic is one word, so any topic is a bytes32.
  const indexedId = (topics[1] ?? zeroHash) as string as Hash
  switch (kind) {
    case 'attestationRegistered':
    case 'contextUpdated':
      return { kind, id: indexedId }
    case 'revoked':
      return { kind, id: data.hash(), replacedBy: null }
    case 'revokedForAnother': {
      const id = data.hash()
      const replacedBy = data.hash()
      return { kind: 'revoked', id, replacedBy: replacedBy === zeroHash ? null : replacedBy }
    }
    case 'replaced':
      return { kind, id: data.hash(), replacedBy: data.hash() }
    case 'portalRevoked':
      return { kind, registered: data.address() }
    case 'portalRegistered':
    case 'moduleRegistered': {
      const tails = [data.offset(0), data.offset(0)]
      const registered = data.address()
      const [name = '', description = ''] = readStrings(data, tails)
      return { kind, name, description, registered }
    }
    case 'schemaCreated': {
      const tails = [data.offset(0), data.offset(0), data.offset(0), data.offset(0)]
      const [name = '', description = '', context = '', schema = ''] = readStrings(data, tails)
      return { kind, id: indexedId, name, description, context, schema }
    }
  }
}

function undecodable(reason: string): VeraxEvent {
  return { kind: 'undecodable', reason }
}
