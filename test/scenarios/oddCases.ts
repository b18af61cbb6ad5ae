import { encodeFunctionData, encodeAbiParameters, concatHex, type Hex } from 'viem'
import { compileSign } from '@attestry/demo/compileSign.ts'
import type { DevTransaction } from '@attestry/demo/devChain.ts'
import { encodeAddressRecipient, encodeTextRecipient } from '@attestry/demo/encodeRecipient.ts'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { attestationStruct, schemaStruct } from '@attestry/demo/signCalls.ts'
import type { LocalChain } from '../harness/localChain.ts'
import type { ExpectedIndex } from './expectedIndex.ts'
import { oddAttestations, recipient } from './oddAttestations.ts'
import { oddSchemas, usualSchema } from './oddSchemas.ts'
import {
  type AttestationCase,
  type CaseRecorder,
  createCaseRecorder,
  type SchemaCase,
} from './recordCases.ts'

/**
 * Sends every unusual case to the contract of a fresh chain. They concern texts, recipients, indexing values, payloads,
 * links, expiries, batches, delegated calls, calls by contracts, records that share a block, and anchors. Revocations
 * are in later blocks, in the same block and in the same transaction. Returns the index that the chain must give. Labels
 * identify records.
 */
export async function runOddCases(chain: LocalChain): Promise<ExpectedIndex> {
  const recorder = createCaseRecorder(chain)
  await registerSchemas(chain, recorder)
  await attestOneByOne(chain, recorder)
  await attestInBatches(chain, recorder)
  await attestDelegated(chain, recorder)
  await revokeLater(chain, recorder)
  await shareBlocks(chain, recorder)
  await actByContract(chain, recorder)
  await anchorOffchain(chain, recorder)
  return recorder.finish()
}

async function registerSchemas(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const registrants = [accountAt(chain, 1), accountAt(chain, 2), accountAt(chain, 3)] as const
  for (const schema of oddSchemas({ registrants, hook: chain.hook })) {
    const { receipt } = await chain.register(schema.input)
    await recorder.noteSchema(receipt, schema)
  }
  const delegated: SchemaCase = {
    label: 'registered by a relayer',
    input: { registrant: accountAt(chain, 4), data: '{"name":"Delegated","description":"","data":[]}' },
    name: 'Delegated',
  }
  const { receipt } = await chain.register(delegated.input, relayer(chain))
  await recorder.noteSchema(receipt, delegated)
}

async function attestOneByOne(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const { timestamp } = await chain.client.getBlock({ includeTransactions: false })
  for (const attestation of oddAttestations(accountAt(chain, 5), Number(timestamp))) {
    const { receipt } = await chain.attest(recorder.inputOf(attestation))
    await recorder.noteAttestations(receipt, [attestation])
  }
}

async function attestInBatches(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const attester = accountAt(chain, 6)
  const mixed: readonly AttestationCase[] = [
    { label: 'batch 1', schema: usualSchema, input: { attester, indexingValue: 'same' } },
    {
      label: 'batch 2, another schema',
      schema: 'with a hook',
      input: { attester, indexingValue: 'same', recipients: [encodeAddressRecipient(recipient)] },
      recipients: [recipient],
    },
    { label: 'batch 3', schema: usualSchema, input: { attester, validUntil: 1n } },
  ]
  const many = Array.from({ length: 24 }, (_, index): AttestationCase => ({
    label: `of many, ${index}`,
    schema: usualSchema,
    input: {
      attester,
      data: `0x${index.toString(16).padStart(64, '0')}`,
      recipients: [encodeTextRecipient(recipient)],
    },
    recipients: [recipient],
  }))
  for (const batch of [mixed, many]) {
    const { receipt } = await chain.attestBatch(batch.map(recorder.inputOf))
    await recorder.noteAttestations(receipt, batch)
  }
}

async function attestDelegated(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const attester = accountAt(chain, 7)
  const alone: AttestationCase = {
    label: 'delegated',
    schema: usualSchema,
    input: { attester, recipients: [encodeAddressRecipient(relayer(chain))], indexingValue: 'by relayer' },
    recipients: [relayer(chain)],
  }
  const { receipt } = await chain.attest(recorder.inputOf(alone), relayer(chain))
  await recorder.noteAttestations(receipt, [alone])
  const batch: readonly AttestationCase[] = [
    { label: 'delegated batch 1', schema: usualSchema, input: { attester }, linked: 'delegated' },
    { label: 'delegated batch 2', schema: 'registered by a relayer', input: { attester } },
  ]
  const batched = await chain.attestBatch(batch.map(recorder.inputOf), relayer(chain))
  await recorder.noteAttestations(batched.receipt, batch)
}

async function revokeLater(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const alone: readonly (readonly [label: string, reason: string, delegated: boolean])[] = [
    ['flat payload', 'Paid twice', false],
    ['recipient as text', '', false],
    ['a did', '理由 🙅 "said" 100%', false],
    ['delegated', 'Revoked by a relayer', true],
    ['linked', 'r'.repeat(600), false],
  ]
  for (const [label, reason, delegated] of alone) {
    const sender = delegated ? relayer(chain) : undefined
    const receipt = await chain.revoke(recorder.attesterOf(label), recorder.idOf(label), reason, sender)
    await recorder.noteRevocations(receipt, [{ label, reason }])
  }
  const batches = [
    {
      delegated: false,
      revocations: [
        { label: 'of many, 3', reason: '' },
        { label: 'batch 1', reason: 'first of two' },
        { label: 'batch 2, another schema', reason: 'second of two' },
      ],
    },
    {
      delegated: true,
      revocations: [
        { label: 'delegated batch 1', reason: 'both' },
        { label: 'delegated batch 2', reason: 'both' },
      ],
    },
  ]
  for (const { delegated, revocations } of batches) {
    const receipt = await chain.revokeBatch(
      recorder.attesterOf(revocations[0]?.label ?? ''),
      revocations.map(({ label }) => recorder.idOf(label)),
      revocations.map(({ reason }) => reason),
      delegated ? relayer(chain) : undefined,
    )
    await recorder.noteRevocations(receipt, revocations)
  }
}

/** Several transactions in one block: equal timestamps, and a revocation in the block of its attestation. */
async function shareBlocks(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const schemas = [8, 9].map((index): SchemaCase => ({
    label: `shares its block, ${index}`,
    input: {
      registrant: accountAt(chain, index),
      data: `{"name":"Twin ${index}","description":"","data":[]}`,
    },
    name: `Twin ${index}`,
  }))
  const registered = await chain.mineTogether(
    await Promise.all(schemas.map((schema) => chain.build.register(schema.input))),
  )
  for (const [index, schema] of schemas.entries()) await recorder.noteSchema(at(registered, index), schema)

  const attestations = [8, 9, 8].map((index, position): AttestationCase => ({
    label: `shares its block, ${position}`,
    schema: usualSchema,
    input: { attester: accountAt(chain, index), data: `0x0${position}` },
  }))
  const nextId = await chain.client.readContract({
    address: chain.address,
    abi: signAbi,
    functionName: 'attestationCounter',
  })
  const revocation = { label: 'shares its block, 1', reason: 'in the same block' }
  const attested = await chain.mineTogether([
    ...(await Promise.all(
      attestations.map((attestation) => chain.build.attest(recorder.inputOf(attestation))),
    )),
    await chain.build.revoke(accountAt(chain, 9), nextId + 1n, revocation.reason),
  ])
  for (const [index, attestation] of attestations.entries()) {
    await recorder.noteAttestations(at(attested, index), [attestation])
  }
  await recorder.noteRevocations(at(attested, 3), [revocation])
}

/** The registrant and attester is a contract; no record names the sender of the transaction. */
async function actByContract(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const { attestingContract: artifact } = await compileSign()
  const protocol = encodeAbiParameters([{ type: 'address' }], [chain.address])
  const contract = await chain.deploy(concatHex([artifact.bytecode, protocol]))
  const call = (functionName: string, args: readonly unknown[]): DevTransaction => {
    const data: Hex = encodeFunctionData({ abi: artifact.abi, functionName, args: [...args] })
    return { from: relayer(chain), to: contract, data }
  }
  const schema: SchemaCase = {
    label: 'registered by a contract',
    input: { registrant: contract, data: '{"name":"By a contract","description":"","data":[]}' },
    name: 'By a contract',
  }
  const [registered] = await chain.mineTogether([call('register', [schemaStruct(schema.input)])])
  await recorder.noteSchema(at([registered], 0), schema)

  const plain: AttestationCase = {
    label: 'by a contract',
    schema: schema.label,
    input: { attester: contract, indexingValue: 'contract', recipients: [encodeAddressRecipient(contract)] },
    recipients: [contract],
  }
  const revokedAtOnce: AttestationCase = {
    label: 'revoked in its own transaction',
    schema: schema.label,
    input: { attester: contract, indexingValue: 'brief' },
  }
  const [made, both] = await chain.mineTogether([
    call('attest', [attestationStruct(recorder.inputOf(plain)), 'contract']),
    call('attestAndRevoke', [attestationStruct(recorder.inputOf(revokedAtOnce)), 'brief', 'at once']),
  ])
  await recorder.noteAttestations(at([made], 0), [plain])
  await recorder.noteAttestations(at([both], 0), [revokedAtOnce])
  await recorder.noteRevocations(at([both], 0), [{ label: revokedAtOnce.label, reason: 'at once' }])
}

async function anchorOffchain(chain: LocalChain, recorder: CaseRecorder): Promise<void> {
  const attester = accountAt(chain, 5)
  recorder.noteAnchors(await chain.attestOffchain(attester, ['SPA_one']), 'made')
  recorder.noteAnchors(await chain.attestOffchain(attester, ['SPA_two', 'SPA_three']), 'made')
  recorder.noteAnchors(await chain.attestOffchain(attester, ['SPA_four'], relayer(chain)), 'made')
  recorder.noteAnchors(await chain.revokeOffchain(attester, ['SPA_two'], ['outdated']), 'revoked')
  // Empty blocks at the end: the checkpoint must follow a head without events.
  await chain.mine(2)
}

function accountAt(chain: LocalChain, index: number) {
  return chain.account(index).address
}

/** The relayer of delegated calls, which registers and attests nothing itself. */
function relayer(chain: LocalChain) {
  return accountAt(chain, 10)
}

function at<T>(items: readonly (T | undefined)[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`There is no item ${index}.`)
  return item
}
