import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { RecoverPublicKey } from '@attestry/core/model/offchainRecord.ts'

/**
 * Recovers public keys by libsecp256k1, compiled to WebAssembly: about eight times as fast as JavaScript. The whole
 * library of which this is a module takes ten times as long to load.
 */
export async function createQuickRecovery(): Promise<RecoverPublicKey> {
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1()
  return (hash, signature, recovery) => {
    const found = recoverPublicKeyUncompressed(signature, recovery, hash)
    // A text is the reason why no key was recovered.
    return typeof found === 'string' ? null : found
  }
}
