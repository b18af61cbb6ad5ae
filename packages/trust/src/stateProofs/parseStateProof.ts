import { parseChainId } from '@attestry/core/model/compositeId.ts'
import {
  is,
  list,
  membersOf,
  object,
  orNull,
  readAddress,
  readBytes,
  readHash,
  readId,
  readIndex,
  readJson,
  readText,
  Unreadable,
  type Members,
  type Parsed,
  type Read,
} from '../proofs/proofReaders.ts'
import {
  layoutNames,
  stateProofFormat,
  stateProofVersion,
  type Claim,
  type IndexName,
  type Says,
  type StateProof,
} from './stateProof.ts'

/** A text that is not a proof; `reason` continues a sentence that began with its name: "has no accounts". */
export type ParsedStateProof = Parsed<StateProof>

/** Members beside the proof that a server says of it, and that prove nothing. */
const besides = ['taken', 'notProven']

/**
 * Parses a state proof, alone or in the envelope of its answer. Hexadecimal digits match in any case; members that no
 * proof has are refused. The result has the form of a proof; `checkStateProof` decides whether it proves anything.
 */
export function parseStateProof(text: string): ParsedStateProof {
  return readJson(text, (found) => readProof('format' in found ? found : membersOf(found['data'], 'data')))
}

/** Whether a text calls itself a state proof. */
export function isStateProofText(text: string): boolean {
  return text.includes(`"${stateProofFormat}"`)
}

function readProof(found: Members): StateProof {
  if (found['format'] !== stateProofFormat) throw new Unreadable(`has no "format": "${stateProofFormat}"`)
  if (found['version'] !== stateProofVersion) {
    throw new Unreadable(`has another version than ${stateProofVersion}`)
  }
  return proof(Object.fromEntries(Object.entries(found).filter(([name]) => !besides.includes(name))), '')
}

const contractCode = { address: readAddress, codeHash: readHash }

const feedbackKey = { agentId: readUint(78), client: readAddress }

const claims: { readonly [Kind in Claim['kind']]: Read<Claim & { readonly kind: Kind }> } = {
  attestation: (value, name) => {
    const members = { kind: is('attestation'), id: readId }
    const feedback = object({ ...feedbackKey, index: readUint(20) })
    return membersOf(value, name)['feedback'] === undefined
      ? object(members)(value, name)
      : object({ ...members, feedback })(value, name)
  },
  anchor: object({ kind: is('anchor'), account: readAddress, uid: readHash, witness: readId }),
  count: object({ kind: is('count'), witness: orNull(readId) }),
  reputation: object({
    kind: is('reputation'),
    agentId: readUint(78),
    client: orNull(readAddress),
    witness: orNull(object(feedbackKey)),
  }),
  holder: object({
    kind: is('holder'),
    address: readAddress,
    schemaId: (value, name) => readText(value, name).toLowerCase(),
    attester: readAddress,
    attestation: orNull(readId),
    index: orNull(
      object({ name: oneOf<IndexName>('coinbase', 'passport', 'eas-indexer'), contract: readAddress }),
    ),
    witness: orNull(object({ address: readAddress, attestation: readHash })),
  }),
}

const readKind = oneOf<Claim['kind']>('attestation', 'anchor', 'count', 'reputation', 'holder')

const proof = object<StateProof>({
  format: is(stateProofFormat),
  version: is(stateProofVersion),
  chainId: readDigits,
  protocol: readText,
  claim: (value, name) => claims[readKind(membersOf(value, name)['kind'], `${name}.kind`)](value, name),
  block: object({
    number: readIndex,
    hash: readHash,
    parentHash: readHash,
    timestamp: readIndex,
    stateRoot: readHash,
    headerRlp: readBytes,
  }),
  layout: object({
    name: oneOf(...layoutNames),
    contract: readAddress,
    slots: (value, name) =>
      Object.fromEntries(
        Object.entries(membersOf(value, name)).map(([slot, word]) => [
          slot,
          readHash(word, `${name}.${slot}`),
        ]),
      ),
  }),
  contracts: list(object({ ...contractCode, implementation: orNull(object(contractCode)) })),
  // Compared with what the state gives, member by member.
  says: (value, name) => lowerCase(membersOf(value, name)) as Says,
  accounts: list(
    object({
      ...contractCode,
      accountProof: list(readBytes),
      storageProof: list(object({ key: readHash, value: readHash, proof: list(readBytes) })),
    }),
  ),
})

/** Nesting of `says` beyond that of any claim. */
const depthMax = 8

/** The same value with its hexadecimal texts in lower case. */
function lowerCase(value: unknown, depth = 0): unknown {
  if (depth > depthMax) throw new Unreadable('has values in says that are nested too deep')
  if (typeof value === 'string') return value.startsWith('0x') ? value.toLowerCase() : value
  if (Array.isArray(value)) return value.map((each) => lowerCase(each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, lowerCase(each, depth + 1)]))
}

function oneOf<const Value extends string>(...values: readonly Value[]): Read<Value> {
  return (value, name) => {
    const found = values.find((each) => each === value)
    if (found === undefined) throw new Unreadable(`has a ${name} that is none of ${values.join(', ')}`)
    return found
  }
}

function readDigits(value: unknown, name: string): string {
  const text = readText(value, name)
  if (parseChainId(text) === null) throw new Unreadable(`has no number of a chain in ${name}`)
  return text
}

function readUint(digitsMax: number): Read<string> {
  return (value, name) => {
    const text = readText(value, name)
    if (!/^(?:0|[1-9][0-9]*)$/.test(text) || text.length > digitsMax || BigInt(text) >= 2n ** 256n) {
      throw new Unreadable(`has no whole number in digits in ${name}`)
    }
    return text
  }
}
