import type { ChainId } from '@attestry/core/model/compositeId.ts'

/**
 * The chains of easscan by their names, which stand before `.easscan.org` in its URLs; `ethereum` and `mainnet` are
 * easscan.org itself. Other chains are asked for by their number.
 */
export const easNetworks: ReadonlyMap<string, ChainId> = new Map([
  ['ethereum', 1],
  ['mainnet', 1],
  ['optimism', 10],
  ['polygon', 137],
  ['base', 8453],
  ['arbitrum', 42161],
  ['arbitrum-nova', 42170],
  ['celo', 42220],
  ['linea', 59144],
  ['scroll', 534352],
  ['sepolia', 11155111],
  ['optimism-sepolia', 11155420],
  ['optimism-sepolia-bedrock', 11155420],
  ['optimism-goerli-bedrock', 420],
  ['base-sepolia', 84532],
  ['base-goerli', 84531],
  ['arbitrum-goerli', 421613],
  ['scroll-sepolia', 534351],
])
