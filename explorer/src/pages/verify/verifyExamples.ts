/** The envelope of EAS's documentation, "Storing Offchain Attestations", of September 2023. */
const published = [
  '{"sig":{"domain":{"name":"EAS Attestation","version":"0.26","chainId":1,"verifyingContract":"0xA',
  '1207F3BBa224E2c9c3c6D5aF63D0eb1582Ce587"},"primaryType":"Attest","types":{"Attest":[{"name":"ver',
  'sion","type":"uint16"},{"name":"schema","type":"bytes32"},{"name":"recipient","type":"address"},',
  '{"name":"time","type":"uint64"},{"name":"expirationTime","type":"uint64"},{"name":"revocable","t',
  'ype":"bool"},{"name":"refUID","type":"bytes32"},{"name":"data","type":"bytes"}]},"signature":{"r',
  '":"0x948e36add4753524c1ff0224427bc964e1262c5239d73d749d44aaead6ae6320","s":"0x59f7d812eb10323204',
  'f115aa18315b238dac4da609b0b5aec4d5892a23d55029","v":27},"uid":"0x9daf896fdad6ecb405f86d94395fecd',
  '4902461a2276180c6fa1d5c979bbf97d5","message":{"version":1,"schema":"0xf58b8b212ef75ee8cd7e8d803c',
  '37c03e0519890502d5e99ee2412aae1456cafe","recipient":"0x0000000000000000000000000000000000000000"',
  ',"time":1694227180,"expirationTime":0,"refUID":"0x0000000000000000000000000000000000000000000000',
  '000000000000000000","revocable":true,"data":"0x0000000000000000000000000000000000000000000000000',
  '000000000000020000000000000000000000000000000000000000000000000000000000000004954686973206973206',
  '16e206f6666636861696e206174746573746174696f6e2120436f6d706c6574656c7920707269766174652e205061737',
  '3656420706565722d746f2d706565722e0000000000000000000000000000000000000000000000","nonce":0}},"si',
  'gner":"0xeee68aECeB4A9e9f328a46c39F50d83fA0239cDF"}',
].join('')

/** The link of the same page. */
const publishedLink = [
  'https://easscan.org/offchain/url/#attestation=eNqlUkuOXDEIvMtbtyLM1yy7p6cvEc3CNvgAo0TK8cN7ibKPxg',
  'tsClyUMd8P%2BIZ63NrtgF%2F3hmAvejwGIr%2Fj8kVLnzJeSk%2FI2aTjW0q340x27kk6ItiEBHm1vaHuMdpcrpwNFZcgeR',
  'iFsQfzGDlCRyohXCTi26I3LHIgLJR3azJG69RkIvUYi2Mo%2BIQpI8uR7jiQQgTQjxvayZOZ2sf7Wz747umbsA%2FWRf4SiE',
  '77DqVjPV9%2FlMfY3XVHack1GWR3DWdy2bmCHZC1VQ9MW4ele7SQ5eZzbreQi2RLn31iSd8mmX2FZY8OtMgWUII07w4lMiTd',
  'M5Eb1vsbi66x8ySptqtz1akyN7iAH58%2F86SHLy382nVgF9aubvUjf23TLLv1XFSxUn4hzdhYxahsnQvdhdcgMdUpDHRVtD',
  'J0mdd4gWEx6pUrWAxycpBRZfAZr10MsSZGN8Y%2FP%2F%2FvBUf1s338Bv9RrMI%3D',
].join('')

export interface VerifyExample {
  readonly label: string
  /** The text to paste. */
  readonly text: string
}

/** Inputs to try the page with. The second does not hold: neither its uid nor its signature is of this time. */
export const verifyExamples: readonly VerifyExample[] = [
  { label: 'A signed attestation', text: published },
  { label: 'The same, tampered with', text: published.replace('"time":1694227180', '"time":1694227181') },
  { label: 'A link that holds one', text: publishedLink },
]
