import { secp256k1 } from '@noble/curves/secp256k1.js'
import { encodeAbiParameters, getContractAddress, keccak256, parseAbiParameters, type Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevClient } from '@attestry/demo/devChain.ts'
import { startAnvil, type Anvil } from '@attestry/demo/startAnvil.ts'
import {
  parseAddress,
  parseHash,
  parseHex,
  zeroAddress,
  zeroHash,
  noBytes,
} from '@attestry/core/model/hex.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { connectContractSigners, type ContractSigners } from './connectContractSigners.ts'

// Code of accounts, by hand: what `isValidSignature` (ERC-1271) answers, whatever it is asked.
const acceptsAll = '0x631626ba7e60e01b60005260206000f3'
const acceptsNothing = '0x60206000f3'
/** Deploys the code that it is called with. */
const factoryCode = '0x36600060003760003660006000f500'
/** Deploys an account that accepts all signatures. */
const accountCode = `0x6f${acceptsAll.slice(2)}60005260106010f3` as const

const chainId = 31_337
const [accepting, refusing, factory] = ['11', '22', '33'].map((byte): Address => `0x${byte.repeat(20)}`) as [
  Address,
  Address,
  Address,
]
const hash = keccak256('0x1234')
/** Bytes that are no signature of a key. */
const bytes = `0x${'01'.repeat(65)}`
const requests = { perSecond: 100, inFlight: 4 }
let anvil: Anvil
let signers: ContractSigners
const logged: string[] = []
const logger = createLogger({ writeLine: (line) => void logged.push(line), human: false, debug: false })

beforeAll(async () => {
  anvil = await startAnvil({ chainId })
  const client = createDevClient(anvil.url)
  await client.setCode({ address: accepting, bytecode: acceptsAll })
  await client.setCode({ address: refusing, bytecode: acceptsNothing })
  await client.setCode({ address: factory, bytecode: factoryCode })
  signers = connectContractSigners([{ chainId, rpc: [anvil.url], requests }], [chainId], logger)
})
afterAll(async () => {
  await signers.close()
  await anvil.stop()
})

const ask = (signer: string, signature: string, chain: number | null = chainId) =>
  signers.ask({
    chainId: chain,
    signer: parseAddress(signer) ?? zeroAddress,
    hash: parseHash(hash) ?? zeroHash,
    signature: parseHex(signature) ?? noBytes,
  })

test('a contract accepts its signature, or does not', async () => {
  expect(await ask(accepting, bytes)).toMatchObject({ kind: 'signed', at: { chainId } })
  expect(await ask(accepting, bytes, null)).toMatchObject({ kind: 'signed', at: { chainId } })
  expect(await ask(refusing, bytes)).toMatchObject({ kind: 'notSigned', at: [{ chainId }] })
  expect(await ask(`0x${'44'.repeat(20)}`, bytes)).toMatchObject({ kind: 'notSigned', at: [{ chainId }] })
  // A signature of any length is the contract's own matter; an account without code has none.
  expect(await ask(accepting, '0x')).toMatchObject({ kind: 'signed' })
  expect(await ask(`0x${'00'.repeat(19)}04`, bytes)).toMatchObject({ kind: 'notSigned' })
})

test('an account without code is not called as a contract', async () => {
  const account = privateKeyToAccount(`0x${'55'.repeat(32)}`)
  const signature = await account.sign({ hash })
  expect(await ask(account.address, signature)).toMatchObject({ kind: 'notSigned', at: [{ chainId }] })
  expect(await ask(account.address, withHighS(signature))).toMatchObject({ kind: 'notSigned' })
  expect(await ask(account.address, wrap(withHighS(signature)))).toMatchObject({ kind: 'notSigned' })
  expect(await ask(refusing, await account.sign({ hash }))).toMatchObject({
    kind: 'notSigned',
    at: [{ chainId }],
  })
})

test('a contract that is not deployed yet is deployed for the question alone (ERC-6492)', async () => {
  const future = getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: `0x${'00'.repeat(32)}`,
    bytecode: accountCode,
  })
  const signature = wrap('0x01')
  expect(await ask(future, signature)).toMatchObject({ kind: 'signed', at: { chainId } })
  expect(await createDevClient(anvil.url).getCode({ address: future })).toBeUndefined()
  expect(await ask(refusing, signature)).toMatchObject({ kind: 'notSigned', at: [{ chainId }] })
})

/** A signature of an account that the factory deploys (ERC-6492). */
function wrap(signature: `0x${string}`): `0x${string}` {
  const wrapped = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [
    factory,
    accountCode,
    signature,
  ])
  return `${wrapped}${'6492'.repeat(16)}`
}

/** The other signature of the same hash, which the curve accepts and EIP-2 does not. */
function withHighS(signature: `0x${string}`): `0x${string}` {
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`
}

test('gives the reason if a chain has no endpoints, or none that answers', async () => {
  expect(await ask(accepting, bytes, 5)).toEqual({
    kind: 'unknown',
    reason: 'This server is not connected to chain 5, so that no contract there was asked.',
  })
  const away = connectContractSigners([{ chainId, rpc: ['http://127.0.0.1:9/secret'], requests }], [], logger)
  const question = { chainId, signer: zeroAddress, hash: zeroHash, signature: parseHex(bytes) ?? noBytes }
  expect(await away.ask(question)).toMatchObject({
    kind: 'unknown',
    reason: `Too few endpoints of chain ${chainId} answer, so that no contract there was asked.`,
  })
  expect(logged.join()).not.toMatch(/secret/)
  await away.close()
  const nowhere = connectContractSigners([], [], logger)
  expect(await nowhere.ask({ ...question, chainId: null })).toMatchObject({ kind: 'unknown' })
  await nowhere.close()
})
