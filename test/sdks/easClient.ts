import { AbiCoder, Contract, type JsonRpcSigner, type ContractTransactionResponse } from 'ethers'
import { requireSdk, usesSdks } from './installedSdks.ts'

/** The calls that an application makes to the SDK of EAS. Each waits until its transaction is mined. */
export interface EasClient {
  /** The schema's uid. */
  register(schema: string): Promise<string>
  /** The attestation's uid. */
  attest(schema: string, data: string, recipient: string, refUID: string): Promise<string>
  revoke(schema: string, uid: string): Promise<void>
  timestamp(uid: string): Promise<void>
  revokeOffchain(uid: string): Promise<void>
  encode(schema: string, values: readonly Field[]): string
}

interface Field {
  readonly name: string
  readonly type: string
  readonly value: unknown
}

interface Sent<Result> {
  wait(): Promise<Result>
}

/** The part of the SDK that is used. */
interface EasSdk {
  readonly EAS: new (address: string) => {
    connect(signer: JsonRpcSigner): {
      attest(request: object): Promise<Sent<string>>
      revoke(request: object): Promise<Sent<unknown>>
      timestamp(uid: string): Promise<Sent<unknown>>
      revokeOffchain(uid: string): Promise<Sent<unknown>>
    }
  }
  readonly SchemaRegistry: new (address: string) => {
    connect(signer: JsonRpcSigner): { register(request: object): Promise<Sent<string>> }
  }
  readonly SchemaEncoder: new (schema: string) => { encodeData(fields: readonly Field[]): string }
}

const zeroAddress = `0x${'0'.repeat(40)}`

/** The SDK itself in `npm run test:sdks`, and by ethers the same calls of the contracts in `npm test`. */
export function createEasClient(signer: JsonRpcSigner, eas: string, registry: string): EasClient {
  return usesSdks ? createSdkClient(signer, eas, registry) : createEthersClient(signer, eas, registry)
}

function createSdkClient(signer: JsonRpcSigner, easAddress: string, registryAddress: string): EasClient {
  const { EAS, SchemaRegistry, SchemaEncoder } = requireSdk<EasSdk>('@ethereum-attestation-service/eas-sdk')
  const eas = new EAS(easAddress).connect(signer)
  const registry = new SchemaRegistry(registryAddress).connect(signer)
  const mined = async <Result>(sent: Promise<Sent<Result>>): Promise<Result> => await (await sent).wait()
  return {
    register: (schema) => mined(registry.register({ schema, resolverAddress: zeroAddress, revocable: true })),
    attest: (schema, data, recipient, refUID) =>
      mined(
        eas.attest({
          schema,
          data: { recipient, expirationTime: 0n, revocable: true, refUID, data, value: 0n },
        }),
      ),
    revoke: async (schema, uid) => void (await mined(eas.revoke({ schema, data: { uid } }))),
    timestamp: async (uid) => void (await mined(eas.timestamp(uid))),
    revokeOffchain: async (uid) => void (await mined(eas.revokeOffchain(uid))),
    encode: (schema, values) => new SchemaEncoder(schema).encodeData(values),
  }
}

const registryAbi = [
  'function register(string schema, address resolver, bool revocable) returns (bytes32)',
  'event Registered(bytes32 indexed uid, address indexed registerer, (bytes32 uid, address resolver, bool revocable, string schema) schema)',
]
const easAbi = [
  'function attest((bytes32 schema, (address recipient, uint64 expirationTime, bool revocable, bytes32 refUID, bytes data, uint256 value) data)) payable returns (bytes32)',
  'function revoke((bytes32 schema, (bytes32 uid, uint256 value) data)) payable',
  'function timestamp(bytes32 data) returns (uint64)',
  'function revokeOffchain(bytes32 data) returns (uint64)',
  'event Attested(address indexed recipient, address indexed attester, bytes32 uid, bytes32 indexed schemaUID)',
]

function createEthersClient(signer: JsonRpcSigner, easAddress: string, registryAddress: string): EasClient {
  /** The value `uid` of the first event of a call. */
  const call = async (contract: Contract, name: string, ...args: readonly unknown[]): Promise<string> => {
    const sent = (await contract.getFunction(name)(...args)) as ContractTransactionResponse
    const [log] = (await sent.wait())?.logs ?? []
    const event = log === undefined ? null : contract.interface.parseLog(log)
    return String(event?.args.toObject()['uid'])
  }
  const eas = new Contract(easAddress, easAbi, signer)
  const registry = new Contract(registryAddress, registryAbi, signer)
  return {
    register: (schema) => call(registry, 'register', schema, zeroAddress, true),
    attest: (schema, data, recipient, refUID) =>
      call(eas, 'attest', [schema, [recipient, 0n, true, refUID, data, 0n]]),
    revoke: async (schema, uid) => void (await call(eas, 'revoke', [schema, [uid, 0n]])),
    timestamp: async (uid) => void (await call(eas, 'timestamp', uid)),
    revokeOffchain: async (uid) => void (await call(eas, 'revokeOffchain', uid)),
    encode: (_schema, values) =>
      AbiCoder.defaultAbiCoder().encode(
        values.map(({ type }) => type),
        values.map(({ value }) => value),
      ),
  }
}
