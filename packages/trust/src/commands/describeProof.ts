import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import type { RecordProof } from '@attestry/core/model/recordProof.ts'
import { notProvenBy, sayOf } from '../stateProofs/describeStateProof.ts'
import type { StateProof } from '../stateProofs/stateProof.ts'

/** The parts of a proof that were compared with values that the reader trusts. */
export interface ProofTrust {
  readonly isBlockTrusted: boolean
  readonly isContractTrusted: boolean
}

/** Lines that say what a valid proof proves and what it leaves open. */
export function describeProof(proof: RecordProof, trust: ProofTrust): readonly string[] {
  const { block, log, receiptLogIndex, transactionIndex } = proof
  return [
    `Valid. ${trust.isBlockTrusted ? 'Its block is the one that you named.' : 'If you trust the block, you can trust this:'}`,
    `  ${describeEvent(proof)}`,
    `  contract     ${checksumAddress(log.address)}${trust.isContractTrusted ? ', which you named' : ''}`,
    `  block        ${block.number} of ${timeOf(block.timestamp)}`,
    `  block hash   ${block.hash}`,
    `  transaction  number ${transactionIndex} of the block, counted from 0`,
    `  log          number ${receiptLogIndex} of the transaction, counted from 0`,
    'Not proven:',
    ...openQuestions(proof, trust).map((question) => `  - ${question}`),
  ]
}

/** The same of a proof of state. */
export function describeStateProof(proof: StateProof, trust: ProofTrust): readonly string[] {
  const { block, contracts, layout } = proof
  const [blockQuestion, contractQuestion, ...questions] = notProvenBy(proof)
  return [
    `Valid. ${trust.isBlockTrusted ? 'Its block is the one that you named.' : 'If you trust the block, you can trust this:'}`,
    `  ${sayOf(proof)}`,
    ...contracts.flatMap(({ address, codeHash, implementation }, index) => [
      `  contract     ${checksumAddress(address)}${index === 0 && trust.isContractTrusted ? ', which you named' : ''}`,
      `  code hash    ${codeHash}`,
      ...(implementation === null
        ? []
        : [
            `  its code is  ${checksumAddress(implementation.address)}, a proxy’s implementation`,
            `  code hash    ${implementation.codeHash}`,
          ]),
    ]),
    `  layout       ${layout.name}`,
    `  block        ${block.number} of ${timeOf(block.timestamp)}`,
    `  block hash   ${block.hash}`,
    'Not proven:',
    ...[
      ...(trust.isBlockTrusted ? [] : [`${blockQuestion} (--block-hash)`]),
      ...(trust.isContractTrusted
        ? ['that the code of the contract is the one that you trust']
        : [`${contractQuestion} (--contract)`]),
      ...questions,
    ].map((question) => `  - ${question}`),
  ]
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')
}

function describeEvent({ event, id, protocol }: RecordProof): string {
  const parsed = parseCompositeId(id)
  const localId = parsed.kind === 'record' ? parsed.key.localId : id
  switch (event) {
    case 'schema':
      return `schema ${localId} was registered with the protocol ${protocol}`
    case 'attestation':
      return `attestation ${localId} was made with the protocol ${protocol}`
    case 'revocation':
      return `attestation ${localId} was revoked with the protocol ${protocol}`
  }
}

function openQuestions(proof: RecordProof, trust: ProofTrust): string[] {
  const parsed = parseCompositeId(proof.id)
  const chain = parsed.kind === 'record' ? `chain ${parsed.key.chainId}` : 'the chain'
  const questions: string[] = []
  if (!trust.isBlockTrusted) {
    questions.push(
      `that the block is part of ${chain}: compare its hash with one that you trust (--block-hash)`,
    )
  }
  if (!trust.isContractTrusted) {
    questions.push('that the contract is the one that you trust (--contract)')
  }
  if (proof.event === 'attestation') questions.push('that the attestation has not been revoked since')
  questions.push(
    proof.event === 'revocation'
      ? 'who revoked it, and what it held, beyond what its log says'
      : `what the ${proof.event} holds, beyond what its log says: an id, or with EAS a hash of it`,
  )
  return questions
}
