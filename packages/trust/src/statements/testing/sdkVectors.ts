import { Signature, Wallet, type TypedDataField } from 'ethers'
import { requireSdk } from '@attestry/test/sdks/installedSdks.ts'
import { recorded } from '@attestry/test/sdks/recordings.ts'

/** Off-chain attestations as EAS's SDK makes them, with keys that are no secret. */

/** The part of the SDK that is used. */
interface EasSdk {
  readonly Offchain: new (
    config: { readonly address: string; readonly chainId: bigint; readonly version: string },
    version: number,
    eas: undefined,
  ) => { signOffchainAttestation(params: object, by: Wallet): Promise<object> }
  createOffchainURL(shared: Shared): string
}

interface Shared {
  readonly sig: object
  readonly signer: string
}

export const signer = new Wallet(`0x${'11'.repeat(32)}`)
export const stranger = new Wallet(`0x${'22'.repeat(32)}`)

export const sepoliaEas = '0xC2679fBD37d54388Ce493F1DB75320D236e1815e'

export const content = {
  schema: `0x${'5a'.repeat(32)}`,
  recipient: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
  time: 1_700_000_000n,
  expirationTime: 1_900_000_000n,
  revocable: true,
  refUID: `0x${'7b'.repeat(32)}`,
  data: `0x${'00'.repeat(31)}2a`,
}

export interface SdkOptions {
  readonly version?: 0 | 1 | 2
  readonly chainId?: bigint
  readonly contract?: string
  readonly by?: Wallet
  readonly content?: Partial<typeof content>
}

/** The envelope that the SDK makes; bigints are as its `JSON.stringify` writes them. */
export function signWithSdk(options: SdkOptions = {}): Promise<string> {
  return recorded('easOffchain', callOf('envelope', options), async () =>
    JSON.stringify(await makePackage(options), bigintsAsText),
  )
}

/** The link that the SDK makes, without its host. */
export function linkWithSdk(options: SdkOptions = {}): Promise<string> {
  return recorded('easOffchain', callOf('link', options), async () =>
    requireSdk<EasSdk>(easSdk).createOffchainURL(await makePackage(options)),
  )
}

const easSdk = '@ethereum-attestation-service/eas-sdk'

function callOf(kind: string, { by, ...options }: SdkOptions): readonly unknown[] {
  return [kind, by === undefined ? options : { ...options, by: by.address }]
}

async function makePackage({
  version = 2,
  chainId = 11_155_111n,
  contract = sepoliaEas,
  by = signer,
  content: changes = {},
}: SdkOptions): Promise<Shared> {
  const { Offchain } = requireSdk<EasSdk>(easSdk)
  const offchain = new Offchain({ address: contract, chainId, version: '1.2.0' }, version, undefined)
  const salt = version === 2 ? { salt: `0x${'9c'.repeat(32)}` } : {}
  const sig = await offchain.signOffchainAttestation({ ...content, ...salt, ...changes }, by)
  return { sig, signer: by.address }
}

/** An envelope of version 0 under the type `Attest`, as SDKs of early 2023 made them, with its flat signature. */
export async function signAsFirstSdks(): Promise<string> {
  const envelope = JSON.parse(await signWithSdk({ version: 0 })) as {
    sig: { domain: object; types: Record<string, TypedDataField[]>; message: object; signature?: object }
  }
  const types = { Attest: envelope.sig.types['Attestation'] ?? [] }
  const signature = Signature.from(
    await signer.signTypedData(envelope.sig.domain, types, envelope.sig.message),
  )
  const { r, s, v } = signature
  delete envelope.sig.signature
  return JSON.stringify({ ...envelope, sig: { ...envelope.sig, types, r, s, v } })
}

function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** The envelope that BAS's SDK makes: EAS's, under a domain of another name. */
export async function signAsBas(): Promise<string> {
  const envelope = JSON.parse(await signWithSdk({ version: 1, chainId: 97n, contract: basContract })) as {
    sig: { domain: object; types: Record<string, TypedDataField[]>; message: object }
  }
  const { sig } = envelope
  const domain = { ...sig.domain, name: 'BAS Attestation' }
  const { r, s, v } = Signature.from(await signer.signTypedData(domain, sig.types, sig.message))
  return JSON.stringify({ ...envelope, sig: { ...sig, domain, signature: { r, s, v } } })
}

/**
 * An envelope as BAS's library for Go writes it: no `sig` and no signer, names of domain and signature in capitals, and a
 * nonce that is signed. `isWrapped` puts the same into the envelope of others.
 */
export async function signAsBasInGo({ isWrapped = false, time = 1_700_000_000 } = {}): Promise<string> {
  const { sig } = JSON.parse(await signAsBas()) as {
    sig: {
      domain: { name: string; version: string; chainId: string; verifyingContract: string }
      types: { Attest: TypedDataField[] }
      message: Record<string, unknown>
      uid: string
    }
  }
  const types = { Attest: [...sig.types.Attest, { name: 'nonce', type: 'uint64' }] }
  const message = { ...sig.message, nonce: 3, time }
  const { name, version, chainId, verifyingContract } = sig.domain
  const { r, s, v } = Signature.from(await signer.signTypedData(sig.domain, types, message))
  const written = {
    domain: { Name: name, Version: version, ChainId: chainId, VerifyingContract: verifyingContract },
    message,
    types,
    signature: { R: r, S: s, V: v },
    primaryType: 'Attest',
    uid: sig.uid,
  }
  return JSON.stringify(isWrapped ? { sig: written, signer: signer.address } : written)
}

const basContract = '0x6c2270298b1e6046898a322acB3Cbad6F99f7CBD'
