import { bytesToHex } from '@noble/hashes/utils.js'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { hashStruct, hashTypedData, readAddress, readInteger, type StructTypes } from './eip712.ts'
import type { OffchainRecord } from '@attestry/core/model/offchainRecord.ts'
import { readSignature } from './readSignature.ts'
import { type Members, parseJson, readList, readMembers, readText, UnreadableInput } from './unreadable.ts'

/**
 * Reads the body that Sign Protocol's client sends to Sign's service for an account of an EVM chain: `{signType,
 * publicKey, signature, message, attestation}`, with `schema` or `revokeInfo` in place of `attestation`. `message` is
 * the typed data that was signed, the other one the same content again, which the service stores: the two must agree.
 * @throws UnreadableInput
 */
export function readSignBody(body: Members): OffchainRecord {
  if (body['signType'] !== 'evm-eip712') {
    throw new UnreadableInput('signType is not evm-eip712, the one kind of signature that is verified here')
  }
  const typed = readMembers(parseJson(readText(body['message'], 'message'), 'message'), 'message')
  const kind = (['attestation', 'schema', 'revocation'] as const).find((name) => storedNames[name] in body)
  if (kind === undefined) throw new UnreadableInput('attestation, schema or revokeInfo is missing')
  const message = readMembers(typed['message'], 'message.message')
  const storedName = storedNames[kind]
  const types = readTypes(kind, readMembers(typed['types'], 'message.types'))
  const content = hashStruct(types, 'Data', message, 'message.message')
  const storedText = readText(body[storedName], storedName)
  const stored = hashStruct(types, 'Data', parseJson(storedText, storedName), storedName)
  if (bytesToHex(stored) !== bytesToHex(content)) {
    throw new UnreadableInput(`${storedName} and message, which was signed, say different things`)
  }
  const domain = readMembers(typed['domain'], 'message.domain')
  const separator = hashStruct(domainTypes, 'EIP712Domain', domain, 'message.domain')
  return {
    protocol: 'sign',
    kind,
    uid: null,
    signer: readAddress(body['publicKey'], 'publicKey'),
    domain: {
      name: readText(domain['name'], 'message.domain.name'),
      version: readText(domain['version'], 'message.domain.version'),
      chainId: null,
      contract: null,
    },
    ...(kind === 'attestation'
      ? readAttestation(message)
      : { ...noContent, payload: { kind: 'json', text: storedText } }),
    hashes: [hashTypedData(separator, content)],
    signature: readSignature(body['signature'], 'signature'),
  }
}

type Kind = OffchainRecord['kind']

const storedNames: Readonly<Record<Kind, string>> = {
  attestation: 'attestation',
  schema: 'schema',
  revocation: 'revokeInfo',
}

const domainTypes: StructTypes = {
  EIP712Domain: [
    ['name', 'string'],
    ['version', 'string'],
  ],
}

/** The client signs recipients and the indexing value as addresses where all of them are addresses. */
function readTypes(kind: Kind, given: Members): StructTypes {
  switch (kind) {
    case 'attestation':
      return {
        Data: [
          ['schemaId', 'string'],
          ['linkedAttestationId', 'string'],
          ['data', 'string'],
          ['validUntil', 'uint32'],
          ['recipients', readType(given, 'recipients', ['address[]', 'string[]'])],
          ['indexingValue', readType(given, 'indexingValue', ['address', 'string'])],
        ],
      }
    case 'schema':
      return {
        Data: [
          ['name', 'string'],
          ['description', 'string'],
          ['revocable', 'bool'],
          ['maxValidFor', 'uint32'],
          ['dataLocation', 'string'],
          ['types', 'SchemaItem[]'],
        ],
        SchemaItem: [
          ['name', 'string'],
          ['type', 'string'],
        ],
      }
    case 'revocation':
      return {
        Data: [
          ['attestationId', 'string'],
          ['reason', 'string'],
        ],
      }
  }
}

function readType(given: Members, name: string, possible: readonly string[]): string {
  const fields = readList(given['Data'], 'message.types.Data')
  const field = fields.find((one) => readMembers(one, 'a field of message.types.Data')['name'] === name)
  const type = field === undefined ? null : readMembers(field, 'a field of message.types.Data')['type']
  const found = possible.find((one) => one === type)
  if (found !== undefined) return found
  throw new UnreadableInput(`message.types.Data does not have ${name} as ${possible.join(' or ')}`)
}

/** The members that schemas and revocations do not have. */
const noContent = {
  schemaId: null,
  recipients: [],
  time: null,
  expirationTime: null,
  revocable: true,
  linkedAttestation: null,
}

function readAttestation(message: Members): Pick<OffchainRecord, keyof typeof noContent | 'payload'> {
  const linked = readText(message['linkedAttestationId'], 'message.message.linkedAttestationId')
  return {
    ...noContent,
    schemaId: readText(message['schemaId'], 'message.message.schemaId'),
    recipients: readList(message['recipients'], 'message.message.recipients').map((recipient, index) => {
      const text = readText(recipient, `message.message.recipients[${index}]`)
      return parseAddress(text) ?? text
    }),
    expirationTime: readInteger(message['validUntil'], 32, 'message.message.validUntil').toString(),
    linkedAttestation: linked === '' ? null : linked,
    payload: { kind: 'json', text: readText(message['data'], 'message.message.data') },
  }
}
