import {
  formatCompositeId,
  parseChainId,
  parseCompositeId,
  type CompositeId,
} from '@attestry/core/model/compositeId.ts'
import {
  parseAddress,
  parseHash,
  parseHex,
  type Address,
  type Hash,
  type Hex,
} from '@attestry/core/model/hex.ts'
import {
  layoutNames,
  stateProofFormat,
  stateProofVersion,
  type Claim,
  type FeedbackKey,
  type IndexName,
  type ProvenAccount,
  type ProvenContract,
  type ProvenWord,
  type Says,
  type StateProof,
} from './stateProof.ts'

/** A text that is not a proof; `reason` continues a sentence that began with its name: "has no accounts". */
export type ParsedStateProof =
  | { readonly kind: 'proof'; readonly proof: StateProof }
  | { readonly kind: 'none'; readonly reason: string }

/** Members beside the proof that a server says of it, and that prove nothing. */
const besides = ['taken', 'notProven']

/** Thrown within this module at the first invalid member. */
class Unreadable extends Error {}

/**
 * Parses a state proof, alone or in the envelope of its answer. Hexadecimal digits match in any case; members that no
 * proof has are refused. The result has the form of a proof; `checkStateProof` decides whether it proves anything.
 */
export function parseStateProof(text: string): ParsedStateProof {
  try {
    const found = membersOf(JSON.parse(text), 'the file')
    return { kind: 'proof', proof: readProof('format' in found ? found : membersOf(found['data'], 'data')) }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'none', reason: error.message }
    if (error instanceof SyntaxError) return { kind: 'none', reason: 'is no JSON object' }
    throw error
  }
}

/** Whether a text calls itself a state proof. */
export function isStateProofText(text: string): boolean {
  return text.includes(`"${stateProofFormat}"`)
}

type Members = Readonly<Record<string, unknown>>

function readProof(found: Members): StateProof {
  if (found['format'] !== stateProofFormat) throw new Unreadable(`has no "format": "${stateProofFormat}"`)
  if (found['version'] !== stateProofVersion) {
    throw new Unreadable(`has another version than ${stateProofVersion}`)
  }
  const names = [
    'format',
    'version',
    'chainId',
    'protocol',
    'claim',
    'block',
    'layout',
    'contracts',
    'says',
    'accounts',
  ]
  onlyMembers(found, 'the proof', [...names, ...besides])
  const block = membersOf(found['block'], 'block')
  const layout = membersOf(found['layout'], 'layout')
  onlyMembers(block, 'block', ['number', 'hash', 'parentHash', 'timestamp', 'stateRoot', 'headerRlp'])
  onlyMembers(layout, 'layout', ['name', 'contract', 'slots'])
  const name = layoutNames.find((each) => each === layout['name'])
  if (name === undefined) throw new Unreadable(`has a layout.name that is none of ${layoutNames.join(', ')}`)
  return {
    format: stateProofFormat,
    version: stateProofVersion,
    chainId: readDigits(found['chainId'], 'chainId'),
    protocol: readText(found['protocol'], 'protocol'),
    claim: readClaimMembers(membersOf(found['claim'], 'claim')),
    block: {
      number: readIndex(block['number'], 'block.number'),
      hash: readHash(block['hash'], 'block.hash'),
      parentHash: readHash(block['parentHash'], 'block.parentHash'),
      timestamp: readIndex(block['timestamp'], 'block.timestamp'),
      stateRoot: readHash(block['stateRoot'], 'block.stateRoot'),
      headerRlp: readBytes(block['headerRlp'], 'block.headerRlp'),
    },
    layout: {
      name,
      contract: readAddress(layout['contract'], 'layout.contract'),
      slots: readSlots(membersOf(layout['slots'], 'layout.slots')),
    },
    contracts: readList(found['contracts'], 'contracts', readContract),
    // Compared with what the state gives, member by member.
    says: lowerCase(membersOf(found['says'], 'says')) as Says,
    accounts: readList(found['accounts'], 'accounts', readAccount),
  }
}

function readClaimMembers(found: Members): Claim {
  const { kind } = found
  const only = (...names: readonly string[]) => onlyMembers(found, 'claim', ['kind', ...names])
  switch (kind) {
    case 'attestation': {
      only('id', 'feedback')
      const id = readId(found['id'], 'claim.id')
      return found['feedback'] === undefined
        ? { kind, id }
        : { kind, id, feedback: readFeedbackKey(membersOf(found['feedback'], 'claim.feedback')) }
    }
    case 'anchor':
      only('account', 'uid', 'witness')
      return {
        kind,
        account: readAddress(found['account'], 'claim.account'),
        uid: readHash(found['uid'], 'claim.uid'),
        witness: readId(found['witness'], 'claim.witness'),
      }
    case 'count':
      only('witness')
      return { kind, witness: orNull(found['witness'], 'claim.witness', readId) }
    case 'reputation':
      only('agentId', 'client', 'witness')
      return {
        kind,
        agentId: readUint(found['agentId'], 'claim.agentId', 78),
        client: orNull(found['client'], 'claim.client', readAddress),
        witness: orNull(found['witness'], 'claim.witness', (value, name) => {
          const members = membersOf(value, name)
          onlyMembers(members, name, ['agentId', 'client'])
          return {
            agentId: readUint(members['agentId'], `${name}.agentId`, 78),
            client: readAddress(members['client'], `${name}.client`),
          }
        }),
      }
    case 'holder':
      only('address', 'schemaId', 'attester', 'attestation', 'index', 'witness')
      return {
        kind,
        address: readAddress(found['address'], 'claim.address'),
        schemaId: readText(found['schemaId'], 'claim.schemaId').toLowerCase(),
        attester: readAddress(found['attester'], 'claim.attester'),
        attestation: orNull(found['attestation'], 'claim.attestation', readId),
        index: orNull(found['index'], 'claim.index', readIndexOnChain),
        witness: orNull(found['witness'], 'claim.witness', (value, name) => {
          const members = membersOf(value, name)
          onlyMembers(members, name, ['address', 'attestation'])
          return {
            address: readAddress(members['address'], `${name}.address`),
            attestation: readHash(members['attestation'], `${name}.attestation`),
          }
        }),
      }
    default:
      throw new Unreadable('has a claim.kind that is none of attestation, anchor, count, reputation, holder')
  }
}

function readFeedbackKey(found: Members): FeedbackKey {
  onlyMembers(found, 'claim.feedback', ['agentId', 'client', 'index'])
  return {
    agentId: readUint(found['agentId'], 'claim.feedback.agentId', 78),
    client: readAddress(found['client'], 'claim.feedback.client'),
    index: readUint(found['index'], 'claim.feedback.index', 20),
  }
}

const indexNames: readonly IndexName[] = ['coinbase', 'passport', 'eas-indexer']

function readIndexOnChain(value: unknown, name: string): { name: IndexName; contract: Address } {
  const members = membersOf(value, name)
  onlyMembers(members, name, ['name', 'contract'])
  const found = indexNames.find((each) => each === members['name'])
  if (found === undefined) throw new Unreadable(`has a ${name}.name that is none of ${indexNames.join(', ')}`)
  return { name: found, contract: readAddress(members['contract'], `${name}.contract`) }
}

function readSlots(found: Members): Readonly<Record<string, Hash>> {
  return Object.fromEntries(
    Object.entries(found).map(([name, slot]) => [name, readHash(slot, `layout.slots.${name}`)]),
  )
}

function readContract(value: unknown, name: string): ProvenContract {
  const members = membersOf(value, name)
  onlyMembers(members, name, ['address', 'codeHash', 'implementation'])
  return {
    address: readAddress(members['address'], `${name}.address`),
    codeHash: readHash(members['codeHash'], `${name}.codeHash`),
    implementation: orNull(members['implementation'], `${name}.implementation`, (each, path) => {
      const found = membersOf(each, path)
      onlyMembers(found, path, ['address', 'codeHash'])
      return {
        address: readAddress(found['address'], `${path}.address`),
        codeHash: readHash(found['codeHash'], `${path}.codeHash`),
      }
    }),
  }
}

function readAccount(value: unknown, name: string): ProvenAccount {
  const members = membersOf(value, name)
  onlyMembers(members, name, ['address', 'codeHash', 'accountProof', 'storageProof'])
  return {
    address: readAddress(members['address'], `${name}.address`),
    codeHash: readHash(members['codeHash'], `${name}.codeHash`),
    accountProof: readList(members['accountProof'], `${name}.accountProof`, readBytes),
    storageProof: readList(members['storageProof'], `${name}.storageProof`, readWordProof),
  }
}

function readWordProof(value: unknown, name: string): ProvenWord {
  const members = membersOf(value, name)
  onlyMembers(members, name, ['key', 'value', 'proof'])
  return {
    key: readHash(members['key'], `${name}.key`),
    value: readHash(members['value'], `${name}.value`),
    proof: readList(members['proof'], `${name}.proof`, readBytes),
  }
}

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

function onlyMembers(found: Members, name: string, names: readonly string[]): void {
  const other = Object.keys(found).find((each) => !names.includes(each))
  if (other !== undefined)
    throw new Unreadable(`has a member ${other.slice(0, 40)} in ${name} that no proof has`)
}

function orNull<Value>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => Value,
): Value | null {
  return value === null ? null : read(value, name)
}

function readList<Item>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => Item,
): readonly Item[] {
  if (!Array.isArray(value)) throw new Unreadable(`has no list in ${name}`)
  return value.map((item, index) => read(item, `${name}[${index}]`))
}

function readId(value: unknown, name: string): CompositeId {
  const id = parseCompositeId(readText(value, name))
  if (id.kind !== 'record') throw new Unreadable(`has no composite id in ${name}`)
  return formatCompositeId(id.key)
}

function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Unreadable(`has no text in ${name}`)
  return value
}

function readDigits(value: unknown, name: string): string {
  const text = readText(value, name)
  if (parseChainId(text) === null) throw new Unreadable(`has no number of a chain in ${name}`)
  return text
}

function readUint(value: unknown, name: string, digitsMax: number): string {
  const text = readText(value, name)
  if (!/^(?:0|[1-9][0-9]*)$/.test(text) || text.length > digitsMax || BigInt(text) >= 2n ** 256n) {
    throw new Unreadable(`has no whole number in digits in ${name}`)
  }
  return text
}

function readIndex(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new Unreadable(`has no whole number in ${name}`)
}

function readAddress(value: unknown, name: string): Address {
  const address = parseAddress(readText(value, name))
  if (address === null) throw new Unreadable(`has no address in ${name}`)
  return address
}

function readHash(value: unknown, name: string): Hash {
  const hash = parseHash(readText(value, name))
  if (hash === null) throw new Unreadable(`has no 32 bytes in ${name}`)
  return hash
}

function readBytes(value: unknown, name: string): Hex {
  const bytes = parseHex(readText(value, name))
  if (bytes === null) throw new Unreadable(`has no 0x bytes in ${name}`)
  return bytes
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unreadable(name === 'the file' ? 'is no JSON object' : `has no object in ${name}`)
  }
  // An object of JSON has no other keys than text.
  return value as Members
}
