import { unixSeconds } from '@attestry/core/model/time.ts'
import { createOffchainVerifier } from '@attestry/trust/commands/createOffchainVerifier.ts'
import { sepoliaEas, signer, signWithSdk } from '@attestry/trust/statements/testing/sdkVectors.ts'
import { requireSdk } from '@attestry/test/sdks/installedSdks.ts'
import { median } from './quantile.ts'

/** The part of EAS's SDK that is used; `npm run test:sdks` installs the SDK. */
interface EasSdk {
  readonly Offchain: new (
    config: object,
    version: number,
    eas: undefined,
  ) => { verifyOffchainAttestationSignature(signer: string, signed: object): boolean }
}

/** Verifications a second of one process, medians of rounds that alternate. */
export interface OffchainFigures {
  readonly ours: number
  readonly sdk: number
}

/**
 * Verifies one version 2 envelope repeatedly: from its text with all checks, and by the verifier of EAS's SDK. The SDK
 * gets the parsed envelope and checks only uid, domain and signature.
 */
export async function benchOffchain(rounds: number, seconds: number): Promise<OffchainFigures> {
  const text = await signWithSdk()
  const now = unixSeconds(1_800_000_000)
  const { sig } = JSON.parse(text) as { sig: object }
  const config = { address: sepoliaEas, chainId: 11_155_111n, version: '1.2.0' }
  const { Offchain } = requireSdk<EasSdk>('@ethereum-attestation-service/eas-sdk')
  const sdk = new Offchain(config, 2, undefined)
  const verifier = createOffchainVerifier([], () => Promise.resolve({ kind: 'notSigned', at: [] }))
  const verifyOurs = async () => {
    const read = await verifier.read(text)
    return read.kind === 'record' && (await verifier.check(read.record, now)).every(({ ok }) => ok)
  }
  const verifySdk = () => Promise.resolve(sdk.verifyOffchainAttestationSignature(signer.address, sig))
  const figures: Record<keyof OffchainFigures, number[]> = { ours: [], sdk: [] }
  for (let round = 0; round < rounds; round++) {
    figures.ours.push(await countPerSecond(verifyOurs, seconds))
    figures.sdk.push(await countPerSecond(verifySdk, seconds))
  }
  return { ours: median(figures.ours), sdk: median(figures.sdk) }
}

async function countPerSecond(verify: () => Promise<boolean>, seconds: number): Promise<number> {
  const start = performance.now()
  let count = 0
  while (performance.now() - start < seconds * 1_000) {
    if (!(await verify())) throw new Error('the attestation holds')
    count += 1
  }
  return (count * 1_000) / (performance.now() - start)
}
