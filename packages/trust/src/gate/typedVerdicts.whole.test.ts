import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, encodeDeployData, getAddress, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Artifacts, compileSolidity } from '@attestry/demo/compileSolidity.ts'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { createDevClient, deployContract, type DevClient, mineBlock } from '@attestry/demo/devChain.ts'
import { type Anvil, startAnvil } from '@attestry/demo/startAnvil.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAddress } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { readEvmKey } from './evmKey.ts'
import { createPolicies } from './gatePolicies.ts'

const chainId = 31_337
const startS = 1_800_000_000
const privateKey = `0x${'5d'.repeat(32)}` as const
const signer = privateKeyToAccount(privateKey).address
const holder = sampleAddress(3)
const nobody = sampleAddress(4)
const holds = { schema: 'onchain_evm_11155111_0x1', attester: [sampleAddress(2)] }
/** The order of the curve. */
const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n

let anvil: Anvil
let client: DevClient
let artifacts: Artifacts
let app: ReturnType<typeof createServer>
let deployed: Readonly<Record<'door' | 'strictDoor' | 'walletDoor' | 'airdrop' | 'poh', Address>>

beforeAll(async () => {
  const folder = join(import.meta.dirname, '../../contracts')
  const sourceOf = (name: string) => [name, readFileSync(join(folder, name), 'utf8')] as const
  const names = ['Door', 'Wallet', 'AirdropClaim', 'PohVerifier'] as const
  const verifiers = 'testing/Verifiers.sol'
  artifacts = await compileSolidity(
    Object.fromEntries([sourceOf('AttestryVerdict.sol'), sourceOf(verifiers)]),
    names.map((name) => `${verifiers}:${name}`),
  )
  anvil = await startAnvil({ chainId, genesisTimeS: startS, manualMining: true })
  client = createDevClient(anvil.url)
  const deploy = (name: (typeof names)[number], ...args: readonly unknown[]) => {
    const { abi, bytecode } = artifactOf(name)
    return deployContract(client, demoAccount(0).address, encodeDeployData({ abi, bytecode, args }))
  }
  const { named } = createPolicies({ kyc: { holds } }, false)
  const policy = `0x${named.get('kyc')?.hash}`
  deployed = {
    door: await deploy('Door', signer, policy),
    strictDoor: await deploy('Door', signer, toHex(1n, { size: 32 })),
    walletDoor: await deploy('Door', await deploy('Wallet', signer), policy),
    airdrop: await deploy('AirdropClaim', signer),
    poh: await deploy('PohVerifier', signer),
  }
  const index = createSampleIndex()
  index.chains = [sampleChain({ updatedAt: unixMilliseconds(startS * 1000) })]
  app = createServer({
    reader: openTestIndex(index),
    now: () => unixMilliseconds(startS * 1000),
    evmKey: readEvmKey(privateKey),
    policies: createPolicies(
      {
        kyc: { holds },
        airdrop: {
          holds,
          typedData: {
            domain: { name: 'Sablier Airdrops Protocol', chainId, verifyingContract: deployed.airdrop },
            primaryType: 'Identity',
            types: { Identity: [{ name: 'recipient', type: 'address' }] },
            message: { recipient: '$subject' },
          },
        },
        human: {
          holds,
          typedData: {
            domain: { name: 'VerifyPoh', version: '1', chainId, verifyingContract: deployed.poh },
            primaryType: 'POH',
            types: { POH: [{ name: 'to', type: 'address' }] },
            message: { to: '$subject' },
          },
        },
      },
      false,
    ),
  })
})
afterAll(() => Promise.all([app?.close(), anvil?.stop()]))

function artifactOf(name: string): Artifacts[string] {
  const artifact = artifacts[`testing/Verifiers.sol:${name}`]
  if (artifact === undefined) throw new Error(name)
  return artifact
}

function call(
  name: string,
  address: Address,
  functionName: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  return client.readContract({ abi: artifactOf(name).abi, address, functionName, args })
}

interface Typed {
  readonly message: Readonly<Record<string, string | number>>
  readonly signature: Hex
}

async function verdictFor(door: Address): Promise<Typed> {
  const query = `signed=eip712&verifyChainId=${chainId}&verifyingContract=${door}&nonce=7`
  return (await app.inject(`/scan/gate/kyc/${holder}?${query}`)).json<Typed>()
}

/** Whether a door lets the holder through. */
function opens(door: Address, { message, signature }: Typed, subject: Address = holder): Promise<unknown> {
  return call('Door', door, 'isAllowed', message, signature, subject)
}

const changedByte = (hex: Hex, at: number): Hex => {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return `0x${bytes.toString('hex')}`
}

/** The other signature of the same key for the same hash, whose `s` lies in the other half of its range. */
function twinOf(signature: Hex): Hex {
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const s = order - BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`)
  const r = bytes.subarray(0, 32).toString('hex')
  return `0x${r}${s.toString(16).padStart(64, '0')}${bytes[64] === 27 ? '1c' : '1b'}`
}

describe('a contract with the library', () => {
  test('lets only allowed addresses through', async () => {
    const verdict = await verdictFor(deployed.door)
    expect(await opens(deployed.door, verdict)).toBe(true)
    expect(await opens(deployed.door, verdict, nobody)).toBe(false)
    const forNobody = { ...verdict, message: { ...verdict.message, subject: getAddress(nobody) } }
    expect(await opens(deployed.door, forNobody, nobody)).toBe(false)
  })

  test('refuses a verdict of another policy, contract or chain', async () => {
    expect(await opens(deployed.strictDoor, await verdictFor(deployed.strictDoor))).toBe(false)
    expect(await opens(deployed.walletDoor, await verdictFor(deployed.door))).toBe(false)
    const query = `signed=eip712&verifyChainId=1&verifyingContract=${deployed.door}`
    const elsewhere = (await app.inject(`/scan/gate/kyc/${holder}?${query}`)).json<Typed>()
    expect(await opens(deployed.door, elsewhere)).toBe(false)
  })

  test('takes no signature with a changed byte, nor a message with a changed member', async () => {
    const verdict = await verdictFor(deployed.door)
    for (const at of [0, 31, 32, 63, 64]) {
      expect(await opens(deployed.door, { ...verdict, signature: changedByte(verdict.signature, at) })).toBe(
        false,
      )
    }
    for (const name of ['chainId', 'blockNumber', 'issuedAt', 'expiresAt', 'nonce']) {
      const message = { ...verdict.message, [name]: String(BigInt(verdict.message[name] ?? 0) + 1n) }
      expect(await opens(deployed.door, { ...verdict, message })).toBe(false)
    }
    expect(await opens(deployed.door, { ...verdict, signature: '0x' })).toBe(false)
  })

  test('takes no malleable signature', async () => {
    const verdict = await verdictFor(deployed.door)
    expect(await opens(deployed.door, { ...verdict, signature: twinOf(verdict.signature) })).toBe(false)
    // A contract that does not look takes it.
    const claim = (await app.inject(`/scan/gate/airdrop/${holder}?as=signature`)).body as Hex
    expect(await call('AirdropClaim', deployed.airdrop, 'isIdentified', holder, twinOf(claim))).toBe(true)
  })

  test('believes a wallet that is a contract (ERC-1271)', async () => {
    const verdict = await verdictFor(deployed.walletDoor)
    expect(await opens(deployed.walletDoor, verdict)).toBe(true)
    expect(
      await opens(deployed.walletDoor, { ...verdict, signature: changedByte(verdict.signature, 5) }),
    ).toBe(false)
  })

  test('takes a verdict until its time is over', async () => {
    const verdict = await verdictFor(deployed.door)
    expect(verdict.message['expiresAt']).toBe(startS + 300)
    await mineBlock(client, startS + 299)
    expect(await opens(deployed.door, verdict)).toBe(true)
    await mineBlock(client, startS + 300)
    expect(await opens(deployed.door, verdict)).toBe(false)
  })
})

test('the claim of an airdrop accepts the signature of its attestor', async () => {
  const signature = (await app.inject(`/scan/gate/airdrop/${holder}?as=signature`)).body
  expect(await call('AirdropClaim', deployed.airdrop, 'isIdentified', holder, signature)).toBe(true)
  expect(await call('AirdropClaim', deployed.airdrop, 'isIdentified', nobody, signature)).toBe(false)
})

test('a verifier of humans accepts the signature as it stands', async () => {
  expect((await app.inject(`/scan/gate/human/${holder}?as=text`)).body).toBe('true')
  const signature = (await app.inject(`/scan/gate/human/${holder}?as=signature`)).body
  expect(await call('PohVerifier', deployed.poh, 'verify', signature, holder)).toBe(true)
  expect(await call('PohVerifier', deployed.poh, 'verify', signature, nobody)).toBe(false)
  expect((await app.inject(`/scan/gate/human/${nobody}?as=signature`)).statusCode).toBe(404)
})
