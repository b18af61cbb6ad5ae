import { eventType } from '../abi/eventTypes.ts'

/**
 * The part of the registries' interface that the index needs (`IdentityRegistryUpgradeable.sol`,
 * `ReputationRegistryUpgradeable.sol` and `ValidationRegistryUpgradeable.sol` of erc-8004/erc-8004-contracts), as
 * events; a test holds their topics to what viem computes.
 */

/** The forms of `NewFeedback` of October 2025 to January 2026, which stand in logs of testnets. */
const oldFeedback = (parameters: string) =>
  eventType('oldFeedback', 'reputationRegistry', null, `NewFeedback(${parameters})`)

export const erc8004EventTypes = [
  eventType('registered', 'address', 3, 'Registered(uint256,string,address)'),
  eventType('uriUpdated', 'address', 3, 'URIUpdated(uint256,string,address)'),
  eventType('metadataSet', 'address', 3, 'MetadataSet(uint256,string,string,bytes)'),
  eventType('transfer', 'address', 4, 'Transfer(address,address,uint256)'),
  eventType(
    'feedback',
    'reputationRegistry',
    4,
    'NewFeedback(uint256,address,uint64,int128,uint8,string,string,string,string,string,bytes32)',
  ),
  eventType('feedbackRevoked', 'reputationRegistry', 4, 'FeedbackRevoked(uint256,address,uint64)'),
  eventType(
    'responseAppended',
    'reputationRegistry',
    4,
    'ResponseAppended(uint256,address,uint64,address,string,bytes32)',
  ),
  eventType(
    'validationRequest',
    'validationRegistry',
    4,
    'ValidationRequest(address,uint256,string,bytes32)',
  ),
  eventType(
    'validationResponse',
    'validationRegistry',
    4,
    'ValidationResponse(address,uint256,bytes32,uint8,string,bytes32,string)',
  ),
  oldFeedback('uint256,address,uint8,bytes32,bytes32,string,bytes32'),
  oldFeedback('uint256,address,uint64,uint8,string,string,string,string,bytes32'),
  oldFeedback('uint256,address,uint64,uint8,string,string,string,string,string,bytes32'),
  oldFeedback('uint256,address,uint64,uint256,uint8,string,string,string,string,string,bytes32'),
  oldFeedback('uint256,address,uint64,int256,uint8,string,string,string,string,string,bytes32'),
]
