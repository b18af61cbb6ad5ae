import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { parseChainId } from '@attestry/core/model/compositeId.ts'
import { type Address, type Hash, type Hex, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { bytesOf, concatParts, integerBytes } from '@attestry/core/protocols/bytes.ts'
import {
  hashStruct,
  hashTypedData,
  readAddress,
  readBoolean,
  readBytes,
  readHash,
  readInteger,
  type StructTypes,
} from './eip712.ts'
import type { OffchainRecord } from '@attestry/core/model/offchainRecord.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import { readSignature } from './readSignature.ts'
import { recoverSigner } from './recoverSigner.ts'
import {
  type Members,
  readList,
  readMembers,
  readText,
  UnreadableInput,
  withLowerNames,
} from './unreadable.ts'

/** The names of the domains of EAS's and BAS's off-chain attestations. */
export const easDomainNames: readonly string[] = ['EAS Attestation', 'BAS Attestation']

/**
 * Reads the envelope of an EAS or BAS off-chain attestation, `{sig, signer}`, in every form that their SDKs have
 * written (docs/offchain.md). A link leaves out the name of the domain: either name may then have been signed.
 * @throws UnreadableInput
 */
export function readEasEnvelope(envelope: Members, signer?: 'mayLackSigner'): OffchainRecord {
  const signed = withLowerNames(readMembers(envelope['sig'], 'sig'))
  const message = readMembers(signed['message'], 'sig.message')
  const domain = withLowerNames(readMembers(signed['domain'], 'sig.domain'))
  const { version, hasNonce } = readForm(signed, message)
  const chainDigits = readInteger(domain['chainId'], 256, 'sig.domain.chainId').toString()
  const chainId = parseChainId(chainDigits)
  if (chainId === null) throw new UnreadableInput('sig.domain.chainId is no number of a chain')
  const domainNames =
    domain['name'] === undefined ? easDomainNames : [readText(domain['name'], 'sig.domain.name')]
  const separators = domainNames.map((name) =>
    hashStruct({ EIP712Domain: domainFields }, 'EIP712Domain', { ...domain, name }, 'sig.domain'),
  )
  // The first SDKs signed version 0 as `Attestation(…)`, later ones as `Attest(…)`, whatever the envelope says.
  const names = version === 0 ? ['Attest', 'Attestation'] : ['Attest']
  const fields = messageFields(version, hasNonce)
  const recipient = readAddress(message['recipient'], 'sig.message.recipient')
  const linked = readHash(message['refUID'], 'sig.message.refUID')
  const hashes = names.flatMap((name) => {
    const content = hashStruct({ [name]: fields }, name, message, 'sig.message')
    return separators.map((separator) => hashTypedData(separator, content))
  })
  // SDKs before the member `signature` wrote its parts into `sig` itself.
  const signature = readSignature(signed['signature'] ?? signed, 'sig.signature')
  return {
    protocol: 'eas',
    kind: 'attestation',
    uid: readUid(signed, message, version),
    signer:
      envelope['signer'] === undefined && signer === 'mayLackSigner'
        ? recoverOwnSigner(hashes, signature)
        : readAddress(envelope['signer'], 'signer'),
    domain: {
      name: domainNames[0] ?? '',
      version: readText(domain['version'], 'sig.domain.version'),
      chainId,
      contract: readAddress(domain['verifyingContract'], 'sig.domain.verifyingContract'),
    },
    schemaId: readHash(message['schema'], 'sig.message.schema'),
    recipients: recipient === zeroAddress ? [] : [recipient],
    time: readTime(message, 'time').toString(),
    expirationTime: readTime(message, 'expirationTime').toString(),
    revocable: readBoolean(message['revocable'], 'sig.message.revocable'),
    linkedAttestation: linked === zeroHash ? null : linked,
    payload: { kind: 'abi', data: readBytes(message['data'], 'sig.message.data') },
    hashes,
    signature,
  }
}

type Version = 0 | 1 | 2

const domainFields: StructTypes[string] = [
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
]

/** The fields of the signed message; those of an envelope decide its version. */
export function messageFields(version: Version, hasNonce = false): StructTypes[string] {
  return [
    ...(version === 0 ? [] : ([['version', 'uint16']] as const)),
    ['schema', 'bytes32'],
    ['recipient', 'address'],
    ['time', 'uint64'],
    ['expirationTime', 'uint64'],
    ['revocable', 'bool'],
    ['refUID', 'bytes32'],
    ['data', 'bytes'],
    ...(version === 2 ? ([['salt', 'bytes32']] as const) : []),
    ...(hasNonce ? ([['nonce', 'uint64']] as const) : []),
  ]
}

interface Form {
  readonly version: Version
  /** Whether a nonce was signed, as programs of BAS do. */
  readonly hasNonce: boolean
}

const forms: readonly Form[] = ([0, 1, 2] as const).flatMap((version) =>
  [false, true].map((hasNonce) => ({ version, hasNonce })),
)

/** SDKs before 1.4.0 wrote the version only into the message, and their first ones nowhere. */
function readForm(signed: Members, message: Members): Form {
  const types = readMembers(signed['types'], 'sig.types')
  const names = Object.keys(types).filter((name) => name !== 'EIP712Domain')
  const [name] = names
  if (names.length !== 1 || (name !== 'Attest' && name !== 'Attestation')) {
    throw new UnreadableInput('sig.types does not have Attest as its one type')
  }
  const given = readList(types[name], `sig.types.${name}`).map((field) => {
    const { name: member, type } = withLowerNames(readMembers(field, `a field of sig.types.${name}`))
    return `${String(type)} ${String(member)}`
  })
  const form = forms.find((candidate) => {
    const fields = messageFields(candidate.version, candidate.hasNonce)
    return fields.length === given.length && fields.every(([n, type], at) => given[at] === `${type} ${n}`)
  })
  if (form === undefined || (form.version !== 0 && name !== 'Attest')) {
    throw new UnreadableInput(`sig.types.${name} lists the fields of no version of EAS's message`)
  }
  const { version } = form
  const stated = signed['version'] ?? (version === 0 ? 0 : message['version'])
  if (readInteger(stated, 16, 'sig.version') !== BigInt(version)) {
    throw new UnreadableInput(`sig.version is not ${version}, of which its types are`)
  }
  if (version !== 0 && readInteger(message['version'], 16, 'sig.message.version') !== BigInt(version)) {
    throw new UnreadableInput(`sig.message.version is not ${version}, of which its types are`)
  }
  return form
}

/** The signer where the envelope names none: the signature alone tells. */
function recoverOwnSigner(hashes: readonly Uint8Array[], signature: Hex): Address {
  const [recovered] = hashes.flatMap((hash) => recoverSigner(hash, signature) ?? [])
  if (recovered === undefined)
    throw new UnreadableInput('signer is missing, and the signature is none of a key')
  return recovered
}

/** The uid hashes the schema as text; programs of BAS in Go hash its bytes. Both stand for the whole content. */
function readUid(signed: Members, message: Members, version: Version): { stated: Hash; computed: Hash } {
  const { schema } = message
  const hash = readHash(schema, 'sig.message.schema')
  const asWritten = typeof schema === 'string' && /^0x/i.test(schema) ? schema : hash
  const ofText = computeUid(message, version, utf8ToBytes(asWritten))
  // Some programs leave the uid out: it follows from the content.
  if (signed['uid'] === undefined || signed['uid'] === null) return { stated: ofText, computed: ofText }
  const stated = readHash(signed['uid'], 'sig.uid')
  const ofBytes = computeUid(message, version, bytesOf(hash))
  return { stated, computed: stated === ofBytes ? ofBytes : ofText }
}

/**
 * The uid has the schema in the case in which the signer wrote it, and knows no signer, chain or contract.
 */
function computeUid(message: Members, version: Version, schema: Uint8Array): Hash {
  const packed = concatParts([
    ...(version === 0 ? [] : [integerBytes(BigInt(version), 2)]),
    schema,
    bytesOf(readAddress(message['recipient'], 'sig.message.recipient')),
    bytesOf(zeroAddress),
    integerBytes(readTime(message, 'time'), 8),
    integerBytes(readTime(message, 'expirationTime'), 8),
    Uint8Array.of(readBoolean(message['revocable'], 'sig.message.revocable') ? 1 : 0),
    bytesOf(readHash(message['refUID'], 'sig.message.refUID')),
    bytesOf(readBytes(message['data'], 'sig.message.data')),
    ...(version === 2 ? [bytesOf(readHash(message['salt'], 'sig.message.salt'))] : []),
    integerBytes(0n, 4),
  ])
  return `0x${bytesToHex(keccak256(packed))}` as Hash
}

function readTime(message: Members, name: 'time' | 'expirationTime'): bigint {
  return readInteger(message[name], 64, `sig.message.${name}`)
}
