import type { Hex } from '../../model/hex.ts'

/**
 * The part of the registries' interface that the index needs (`IdentityRegistryUpgradeable.sol`,
 * `ReputationRegistryUpgradeable.sol` and `ValidationRegistryUpgradeable.sol` of erc-8004/erc-8004-contracts), as
 * topics; a test computes them from the signatures.
 */

export type Erc8004EventKind =
  | 'registered'
  | 'uriUpdated'
  | 'metadataSet'
  | 'transfer'
  | 'feedback'
  | 'oldFeedback'
  | 'feedbackRevoked'
  | 'responseAppended'
  | 'validationRequest'
  | 'validationResponse'

export interface Erc8004EventType {
  readonly kind: Erc8004EventKind
  readonly signature: string
  readonly topic: Hex
  /** Topics of a log of the event, topic0 included. */
  readonly topicCount: number
  /** Which of a deployment's contracts emits it. */
  readonly emitter: 'address' | 'reputationRegistry' | 'validationRegistry'
}

const eventType = (
  kind: Erc8004EventKind,
  emitter: Erc8004EventType['emitter'],
  topicCount: number,
  signature: string,
  topic: string,
): Erc8004EventType => ({ kind, emitter, topicCount, signature, topic: topic as Hex })

/** The forms of `NewFeedback` of October 2025 to January 2026, which stand in logs of testnets. */
const oldFeedback = (signature: string, topic: string) =>
  eventType('oldFeedback', 'reputationRegistry', 0, signature, topic)

export const erc8004EventTypes: readonly Erc8004EventType[] = [
  eventType(
    'registered',
    'address',
    3,
    'Registered(uint256,string,address)',
    '0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a',
  ),
  eventType(
    'uriUpdated',
    'address',
    3,
    'URIUpdated(uint256,string,address)',
    '0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb',
  ),
  eventType(
    'metadataSet',
    'address',
    3,
    'MetadataSet(uint256,string,string,bytes)',
    '0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b',
  ),
  eventType(
    'transfer',
    'address',
    4,
    'Transfer(address,address,uint256)',
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  ),
  eventType(
    'feedback',
    'reputationRegistry',
    4,
    'NewFeedback(uint256,address,uint64,int128,uint8,string,string,string,string,string,bytes32)',
    '0x6a4a61743519c9d648a14e6493f47dbe3ff1aa29e7785c96c8326a205e58febc',
  ),
  eventType(
    'feedbackRevoked',
    'reputationRegistry',
    4,
    'FeedbackRevoked(uint256,address,uint64)',
    '0x25156fd3288212246d8b008d5921fde376c71ed14ac2e072a506eb06fde6d09d',
  ),
  eventType(
    'responseAppended',
    'reputationRegistry',
    4,
    'ResponseAppended(uint256,address,uint64,address,string,bytes32)',
    '0xb1c6be0b5b8aef6539e2fac0fd131a2faa7b49edf8e505b5eb0ad487d56051d4',
  ),
  eventType(
    'validationRequest',
    'validationRegistry',
    4,
    'ValidationRequest(address,uint256,string,bytes32)',
    '0x530436c3634a98e1e626b0898be2f1e9980cc1bd2a78c07a0aba52d0a48a5059',
  ),
  eventType(
    'validationResponse',
    'validationRegistry',
    4,
    'ValidationResponse(address,uint256,bytes32,uint8,string,bytes32,string)',
    '0xafddf629e874ccc3963b6a888c477bd464a6c8525024fc88759ea3b2326349ae',
  ),
  oldFeedback(
    'NewFeedback(uint256,address,uint8,bytes32,bytes32,string,bytes32)',
    '0x54b3254e4cc01969e70376d20390cc2f6af90539d9adaa78a53ebcda17f78154',
  ),
  oldFeedback(
    'NewFeedback(uint256,address,uint64,uint8,string,string,string,string,bytes32)',
    '0x801d7d4264128f6f43835850f1fabb91902c3543c3738f1f62fbf7e9fd80531d',
  ),
  oldFeedback(
    'NewFeedback(uint256,address,uint64,uint8,string,string,string,string,string,bytes32)',
    '0x31f01d2aa5cdbe0619011211e9ffc39d678bc82e46d60c35953396ae61e896d8',
  ),
  oldFeedback(
    'NewFeedback(uint256,address,uint64,uint256,uint8,string,string,string,string,string,bytes32)',
    '0xa96589249279e205e9aa2d2299594d8c5c745cf90e49514145db5dbdea256240',
  ),
  oldFeedback(
    'NewFeedback(uint256,address,uint64,int256,uint8,string,string,string,string,string,bytes32)',
    '0x413f2d30fdbc0b49e55537333a7c6287556f671f40c7e2dc00fc7ca1ced350da',
  ),
]
