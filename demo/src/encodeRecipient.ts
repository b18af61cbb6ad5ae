import { type Address, encodeAbiParameters, type Hex } from 'viem'

/** `abi.encode(address)`, as Sign Protocol's documentation has it. */
export function encodeAddressRecipient(address: Address): Hex {
  return encodeAbiParameters([{ type: 'address' }], [address])
}

/** `abi.encode(string)`, the official SDK's default even for addresses; also for `did:key:…` and the like. */
export function encodeTextRecipient(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text])
}

/** The bare 20 bytes, as `abi.encodePacked` makes them. */
export function encodeRawRecipient(address: Address): Hex {
  return `0x${address.slice(2).toLowerCase()}`
}
