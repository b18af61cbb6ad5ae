import { getContractAddress, type Address } from 'viem'
import type { DevClient } from '@attestry/demo/devChain.ts'

/**
 * The end of the loop of `massImport` in the published code of v9: `emit AttestationRegistered(id)` from its topic on,
 * and the step to the next record, which `attest` does not have.
 */
const emission =
  /7ffe10586889e06530420fe4a0d86aa4f7afc3c9dc84b0c77b731a9615496ef18a90600090a2(?=506001016[0-9a-f]{5}56)/g
/** Takes the two values off the stack that the emission would, in as many bytes. */
const silence = `5050${'5b'.repeat(36)}`

/**
 * Gives the registry that `deployVerax` made the `massImport` of v3, which emits nothing and is the same else. No
 * package contains v3.
 */
export async function silenceImports(
  client: DevClient,
  { from, nonce }: { readonly from: Address; readonly nonce: number },
): Promise<void> {
  // The third contract that `deployVerax` makes: the proxy of the registry delegates to it.
  const address = getContractAddress({ from, nonce: BigInt(nonce + 2) })
  const code = (await client.getCode({ address })) ?? '0x'
  if (code.match(emission)?.length !== 1) throw new Error('the code of massImport is another one')
  await client.setCode({ address, bytecode: code.replace(emission, silence) as `0x${string}` })
}
