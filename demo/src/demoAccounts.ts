import { type HDAccount, mnemonicToAccount } from 'viem/accounts'

/** The mnemonic of every Ethereum development node. Its keys are public: nothing of value may ever be sent to them. */
export const demoMnemonic = 'test test test test test test test test test test test junk'

const derived = new Map<number, HDAccount>()

/** The account that the mnemonic has at `index`, with its key; the chain holds the first ones unlocked. */
export function demoAccount(index: number): HDAccount {
  const known = derived.get(index)
  if (known !== undefined) return known
  const account = mnemonicToAccount(demoMnemonic, { addressIndex: index })
  derived.set(index, account)
  return account
}

/** How many accounts, from index 0, a chain of ours holds unlocked and with a balance. */
export const unlockedAccounts = 32
