import { encodeAbiParameters, getContractAddress, keccak256, parseAbiParameters, type Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevClient } from '../../../demo/src/devChain.ts'
import { startAnvil, type Anvil } from '../../../demo/src/startAnvil.ts'
import { parseAddress, parseHash, parseHex, zeroAddress, zeroHash, noBytes } from '../../model/hex.ts'
import { createLogger } from '../createLogger.ts'
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
  signers = connectContractSigners([{ chainId, rpc: [anvil.url], requests }], logger)
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
  expect(await ask(accepting, bytes)).toEqual({ kind: 'signed' })
  expect(await ask(accepting, bytes, null)).toEqual({ kind: 'signed' })
  expect(await ask(refusing, bytes)).toEqual({ kind: 'notSigned' })
  expect(await ask(`0x${'44'.repeat(20)}`, bytes)).toEqual({ kind: 'notSigned' })
  expect(await ask(accepting, '0x01')).toMatchObject({ kind: 'unknown' })
})

test('an account with a key has signed where its key did', async () => {
  const account = privateKeyToAccount(`0x${'55'.repeat(32)}`)
  expect(await ask(account.address, await account.sign({ hash }))).toEqual({ kind: 'signed' })
  expect(await ask(refusing, await account.sign({ hash }))).toEqual({ kind: 'notSigned' })
})

test('a contract that is not deployed yet is deployed for the question alone (ERC-6492)', async () => {
  const future = getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: `0x${'00'.repeat(32)}`,
    bytecode: accountCode,
  })
  const wrapped = encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [
    factory,
    accountCode,
    '0x01',
  ])
  const signature = `${wrapped}${'6492'.repeat(16)}`
  expect(await ask(future, signature)).toEqual({ kind: 'signed' })
  expect(await createDevClient(anvil.url).getCode({ address: future })).toBeUndefined()
  expect(await ask(refusing, signature)).toEqual({ kind: 'notSigned' })
})

test('a chain without endpoints, or whose endpoints fail, is told so', async () => {
  expect(await ask(accepting, bytes, 5)).toEqual({
    kind: 'unknown',
    reason: 'This server is not connected to chain 5, so that no contract there was asked.',
  })
  const away = connectContractSigners([{ chainId, rpc: ['http://127.0.0.1:9/secret'], requests }], logger)
  const question = { chainId, signer: zeroAddress, hash: zeroHash, signature: parseHex(bytes) ?? noBytes }
  expect(await away.ask(question)).toMatchObject({
    kind: 'unknown',
    reason: `The endpoints of chain ${chainId} do not answer, so that no contract there was asked.`,
  })
  expect(logged.join()).not.toMatch(/secret/)
  await away.close()
  const nowhere = connectContractSigners([], logger)
  expect(await nowhere.ask({ ...question, chainId: null })).toMatchObject({ kind: 'unknown' })
  await nowhere.close()
})
