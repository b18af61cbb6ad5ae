import { keccak256, toEventSelector, toHex } from 'viem'
import { expect, test } from 'vitest'
import { feedbackSchemaId, validationSchemaId } from '../../model/agents.ts'
import { easEventTypes } from '../eas/easAbi.ts'
import { signEventTypes } from '../sign/signAbi.ts'
import { veraxEventTypes } from '../verax/veraxAbi.ts'
import { erc8004EventTypes } from './erc8004Abi.ts'

test.each(erc8004EventTypes)('the topic of $signature is its hash', ({ signature, topic }) => {
  expect(topic).toBe(toEventSelector(signature))
})

test('no event of another protocol has one of the topics', () => {
  const others = new Set([...signEventTypes, ...easEventTypes, ...veraxEventTypes].map(({ topic }) => topic))
  expect(erc8004EventTypes.filter(({ topic }) => others.has(topic))).toEqual([])
})

test('the ids of the built-in schemas are hashes of their names', () => {
  expect(feedbackSchemaId).toBe(keccak256(toHex('ERC-8004 feedback')))
  expect(validationSchemaId).toBe(keccak256(toHex('ERC-8004 validation')))
})
