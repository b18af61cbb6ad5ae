import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import {
  formatCompositeId,
  parseChainId,
  parseCompositeId,
  parseLocalId,
  parseOffchainId,
  type ChainId,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { protocolsOfId } from '@attestry/core/model/protocolNames.ts'
import type { AskedRecord, Question } from '../asOf/openView.ts'
import { quoteInput } from '../quoteInput.ts'
import type { AddressListing } from '@attestry/core/index/indexQueries.ts'
import { optionalParameter, type Parameter } from './parameter.ts'

/**
 * A well-formed identifier. `unknown` can never name an indexed record (an off-chain record, a local id with leading
 * zeros); `shown` is the identifier in a form that a message may repeat.
 */
export type Identified<Value> = { readonly kind: 'known'; readonly value: Value } | UnknownId

/** `text` is the identifier as it was sent. */
interface UnknownId {
  readonly kind: 'unknown'
  readonly shown: string
  readonly text: string
}

/** A schema as the filter of an address's attestations names it: on one chain, or by its local id on every chain. */
export type SchemaFilter = NonNullable<AddressListing['schema']>

const compositeIdShape = 'onchain_evm_<chain number>_0x<hexadecimal digits>'
/** Ids of indexed kinds. Ids of off-chain records are well formed too, but unknown. */
const compositeIdPattern = '^(onchain_evm_[0-9]+_0[xX][0-9a-fA-F]+)$'
const exampleId = 'onchain_evm_11155111_0x1a'

/** An id as the id of a record of a protocol; null: of the first that has the id. */
export function ofProtocol<Id extends Identified<RecordKey>>(id: Id, protocol: string | null): Id {
  return id.kind === 'known' && protocol !== null ? { ...id, value: { ...id.value, protocol } } : id
}

/** The chains of records, those that off-chain ids name among them; ids that no record can have are on none. */
export function chainsOfIds(ids: readonly Identified<RecordKey>[]): readonly ChainId[] {
  return [...new Set(ids.flatMap(chainsOfId))]
}

/** The same, with the protocols that the records may be of. */
export function askedByIds(
  ids: readonly Identified<RecordKey>[],
  kind: 'schema' | 'attestation',
): Required<Pick<Question, 'chainIds' | 'records'>> {
  const records = new Map<string, AskedRecord>()
  for (const id of ids) {
    if (id.kind === 'unknown') continue
    const { chainId, localId } = id.value
    const protocols = protocolsOfId(id.value, kind)
    const record = { kind, key: id.value }
    records.set([chainId, localId, ...protocols].join(' '), { chainId, protocols, record })
  }
  return { chainIds: chainsOfIds(ids), records: [...records.values()] }
}

/** A question about the present state of records. */
export function aboutIds(ids: readonly Identified<RecordKey>[], kind: 'schema' | 'attestation'): Question {
  return { asOf: null, ...askedByIds(ids, kind) }
}

function chainsOfId(id: Identified<RecordKey>): readonly ChainId[] {
  if (id.kind === 'known') return [id.value.chainId]
  const offchain = parseOffchainId(id.text)?.split('_')
  const chainId = parseChainId(offchain?.[2] ?? '')
  return chainId === null ? [] : [chainId]
}

/** The chains of a schema that is named by either of its ids; null: all of them. */
export function chainsOfSchema(schema: Identified<SchemaFilter>): readonly ChainId[] | null {
  if (schema.kind === 'unknown') return []
  return schema.value.kind === 'key' ? [schema.value.key.chainId] : null
}

/** The chains that the filter `chainId` leaves; null: all of them. */
export function chainsOfListed(chainId: Identified<ChainId> | null): readonly ChainId[] | null {
  if (chainId === null) return null
  return chainId.kind === 'known' ? [chainId.value] : []
}

/** The same of a schema that is named by either of its ids. */
export function schemaOfProtocol(schema: SchemaFilter, protocol: string | null): SchemaFilter {
  return schema.kind === 'key' ? { ...schema, key: { ...schema.key, protocol } } : { ...schema, protocol }
}

/** An id as messages repeat it. */
export function shownId(id: Identified<RecordKey>): string {
  if (id.kind === 'unknown') return id.shown
  const { protocol } = id.value
  return `${formatCompositeId(id.value)}${protocol ? ` of the protocol ${protocol}` : ''}`
}

/** The composite id of the record that a path names. */
export function recordIdParameter(description: string): Parameter<Identified<RecordKey>> {
  return {
    name: 'id',
    in: 'path',
    schema: Type.String({ pattern: compositeIdPattern, description, examples: [exampleId] }),
    absent: null,
    read: (text) => readCompositeId('id', text),
  }
}

/** A composite id as an optional filter; null when it is absent or empty. */
export function idFilterParameter(
  name: string,
  description: string,
): Parameter<Identified<RecordKey> | null> {
  const schema = Type.String({
    pattern: compositeIdPattern,
    description: `${description} An unknown value gives an empty page.`,
    examples: [exampleId],
  })
  return optionalParameter(name, schema, (text) => readCompositeId(name, text))
}

/** A JSON array of composite ids as an optional filter; null when it is absent or empty. */
export function idListParameter(
  name: string,
  description: string,
): Parameter<readonly Identified<RecordKey>[] | null> {
  const schema = Type.String({
    description: `${description} A JSON array of 1 to ${idsMax} composite ids. Unknown ones pass nothing.`,
    examples: [JSON.stringify([exampleId])],
  })
  return optionalParameter(name, schema, (text) => {
    const ids = parseTexts(text)
    if (ids === null || ids.length === 0 || ids.length > idsMax) {
      const sent = ids === null ? quoteInput(text) : `an array of ${ids.length}`
      throw new BadParameterError(
        `${name} must be a JSON array of 1 to ${idsMax} composite ids such as ["${exampleId}"]; it was ${sent}.`,
      )
    }
    return ids.map((id, index) => readCompositeId(`${name}[${index}]`, id))
  })
}

/** The members of a JSON array of texts; null for another text. */
function parseTexts(text: string): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null
  } catch {
    return null
  }
}

export const schemaIdParameter = idFilterParameter(
  'schemaId',
  'Composite id of a schema: only attestations made under it.',
)

/** Most records that are asked for by their ids at once. */
export const idsMax = 100

/** Composite ids, separated by commas; at least one. */
export function idsParameter(description: string): Parameter<readonly Identified<RecordKey>[]> {
  return {
    name: 'ids',
    in: 'query',
    schema: Type.String({
      pattern: `${compositeIdPattern.slice(0, -1)}(,${compositeIdPattern.slice(1, -1)})*$`,
      description: `${description} 1 to ${idsMax} composite ids, separated by commas.`,
      examples: [`${exampleId},onchain_evm_11155111_0x1b`],
    }),
    absent: null,
    read: (text) => {
      const ids = text.split(',')
      if (text === '' || ids.length > idsMax) {
        throw new BadParameterError(
          `ids must be 1 to ${idsMax} composite ids, separated by commas; it had ${text === '' ? 0 : ids.length}.`,
        )
      }
      return ids.map((id) => readCompositeId('ids', id, ', separated by commas'))
    },
  }
}

/** A schema as an optional filter, by composite or by local id; null when it is absent or empty. */
export const schemaFilterParameter = optionalParameter(
  'schemaId',
  Type.String({
    pattern: `${compositeIdPattern.slice(0, -2)}|0[xX][0-9a-fA-F]+)$`,
    description:
      'Composite id of a schema, or its local id (`0x…`), which counts on every chain unless `chainId` narrows it. ' +
      'An unknown value gives an empty page.',
    examples: [exampleId, '0x1a'],
  }),
  (text): Identified<SchemaFilter> => {
    if (/^0x[0-9a-f]+$/i.test(text)) {
      const localId = parseLocalId(text)
      if (localId === null) return unknownId(text)
      return { kind: 'known', value: { kind: 'localId', localId } }
    }
    const id = readCompositeId('schemaId', text, ' or a local id such as 0x1a')
    return id.kind === 'unknown' ? id : { kind: 'known', value: { kind: 'key', key: id.value } }
  },
)

/** A chain's number as an optional filter; null when it is absent or empty. */
export const chainIdParameter: Parameter<Identified<ChainId> | null> = {
  name: 'chainId',
  in: 'query',
  schema: Type.String({
    pattern: '^[0-9]+$',
    description:
      'Decimal chain number: only records of that chain. An unknown value gives an empty page. `network` is another ' +
      'name of it, which also takes `all`.',
    examples: ['11155111'],
  }),
  absent: { value: null },
  read: (text) => readChainId('chainId', text),
  // Clients of the original service send it. If it were ignored, they would get the records of every chain.
  synonym: {
    name: 'network',
    read: (text) => (text === 'all' ? null : readChainId('network', text, ', or all')),
  },
}

/** @throws BadParameterError naming the parameter. */
function readChainId(name: string, text: string, alternative = ''): Identified<ChainId> | null {
  if (text === '') return null
  if (!/^[0-9]+$/.test(text)) {
    throw new BadParameterError(
      `${name} must be a decimal chain number such as 11155111${alternative}; it was ${quoteInput(text)}.`,
    )
  }
  const chainId = Number(text)
  if (!Number.isSafeInteger(chainId)) return unknownId(text)
  return { kind: 'known', value: chainId }
}

/** A transaction by its hash, in any case. */
export const transactionHashParameter: Parameter<Hash> = {
  name: 'hash',
  in: 'path',
  schema: Type.String({
    pattern: '^0[xX][0-9a-fA-F]{64}$',
    description: 'Hash of the transaction, in any case.',
    examples: [`0x${'4d'.repeat(32)}`],
  }),
  absent: null,
  read: (text) => {
    const hash = parseHash(text)
    if (hash === null) {
      throw new BadParameterError(
        `hash must be 0x followed by the 64 hexadecimal digits of a transaction; it was ${quoteInput(text)}.`,
      )
    }
    return hash
  },
}

/** The chain of a transaction; one without replay protection can be on several. */
export const transactionChainParameter: Parameter<Identified<ChainId> | null> = {
  ...chainIdParameter,
  schema: Type.String({
    pattern: '^[0-9]+$',
    description:
      'Decimal number of the chain, for a transaction that was sent to several; else the first of them by number counts.',
    examples: ['11155111'],
  }),
}

const addressSchema = (description: string) =>
  Type.String({
    pattern: '^0[xX][0-9a-fA-F]{40}$',
    description,
    examples: ['0x742d35Cc6634C0532925a3b844Bc454e4438f44e'],
  })

/** The account in a path, in any case and with any checksum. */
export const addressParameter: Parameter<Address> = {
  name: 'address',
  in: 'path',
  schema: addressSchema('Address of an account, in any case; its checksum is not looked at.'),
  absent: null,
  read: (text) => readAddress('address', text),
}

/** An account as an optional filter; null when it is absent or empty. */
export function addressFilterParameter(name: string, description: string): Parameter<Address | null> {
  const schema = addressSchema(`${description} In any case; its checksum is not looked at.`)
  return optionalParameter(name, schema, (text) => readAddress(name, text))
}

/** @throws BadParameterError naming the parameter. */
export function readAddress(name: string, text: string): Address {
  const address = parseAddress(text)
  if (address === null) {
    throw new BadParameterError(
      `${name} must be 0x followed by 40 hexadecimal digits; it was ${quoteInput(text)}.`,
    )
  }
  return address
}

/** @throws BadParameterError naming the parameter. */
export function readCompositeId(name: string, text: string, alternative = ''): Identified<RecordKey> {
  const parsed = parseCompositeId(text)
  switch (parsed.kind) {
    case 'record':
      return { kind: 'known', value: parsed.key }
    case 'unindexable':
      return unknownId(text)
    case 'malformed':
      throw new BadParameterError(
        `${name} must be a composite id ${compositeIdShape} such as ${exampleId}${alternative}; it was ${quoteInput(text)}.`,
      )
  }
}

function unknownId(text: string): UnknownId {
  return { kind: 'unknown', shown: quoteInput(text), text }
}

/** Chooses one of several off-chain records with an id; null: the first. */
export const signerParameter = addressFilterParameter(
  'signer',
  'Signer of the off-chain record, where several accounts signed the same words.',
)

/** @throws BadParameterError for a signer beside the id of an on-chain record. */
export function checkSigner(id: Identified<RecordKey>, signer: Address | null): void {
  if (signer === null || (id.kind === 'unknown' && parseOffchainId(id.text) !== null)) return
  throw new BadParameterError(
    `signer chooses among off-chain records (offchain_evm_… or SPA_…); leave it out for ${shownId(id)}.`,
  )
}
