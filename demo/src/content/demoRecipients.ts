import { type Address, getAddress, type Hex } from 'viem'
import { demoAccount } from '../demoAccounts.ts'
import { encodeAddressRecipient, encodeRawRecipient, encodeTextRecipient } from '../encodeRecipient.ts'
import { createRandom, type Random } from '../random.ts'

/** The people of the demo: the accounts that attest themselves, and some hundreds that only receive. */
const population: readonly Address[] = [
  ...Array.from({ length: 20 }, (_, index) => demoAccount(index).address),
  ...((random) => Array.from({ length: 480 }, () => random.address()))(createRandom(7)),
]

/** An account; a few come often and most rarely. */
export function pickAccount(random: Random): Address {
  const index = Math.floor(population.length * random.fraction() ** 2)
  return population[index] ?? random.address()
}

/** One account in one of the encodings that are met on chain. */
export function oneRecipient(random: Random): readonly Hex[] {
  return [encodeSomehow(random, pickAccount(random))]
}

/** Up to `max` accounts, now and then the same one twice or none at all. */
export function severalRecipients(max: number): (random: Random) => readonly Hex[] {
  return (random) => {
    const recipients: Hex[] = []
    for (let count = random.integer(0, max); count > 0; count--) {
      const account = pickAccount(random)
      recipients.push(encodeSomehow(random, account))
      if (random.chance(0.08)) recipients.push(encodeSomehow(random, account))
    }
    return recipients
  }
}

/** A decentralised identifier, as the SDK encodes every string. */
export function didRecipient(random: Random): readonly Hex[] {
  let key = ''
  for (let length = 0; length < 44; length++) {
    key += base58Digits.charAt(random.integer(0, base58Digits.length - 1))
  }
  return [encodeTextRecipient(`did:key:z6Mk${key}`)]
}

export function noRecipient(): readonly Hex[] {
  return []
}

/** Recipients without a defined meaning: an empty string, a hash, some bytes, no recipient. */
export function oddRecipient(random: Random): readonly Hex[] {
  return [
    random.pick([
      encodeTextRecipient(''),
      random.bytes(32),
      random.bytes(random.integer(1, 40)),
      '0x' as const,
    ]),
  ]
}

const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function encodeSomehow(random: Random, account: Address): Hex {
  const encoding = random.fraction()
  if (encoding < 0.45) return encodeAddressRecipient(account)
  if (encoding < 0.75) return encodeTextRecipient(getAddress(account))
  if (encoding < 0.88) return encodeTextRecipient(account.toLowerCase())
  return encodeRawRecipient(account)
}
