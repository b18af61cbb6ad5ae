import { choiceParameter } from './choiceParameter.ts'
import { addressFilterParameter } from './idParameters.ts'
import { textParameter } from './textParameters.ts'

/** The filters of off-chain anchors (docs/offchain.md, "Anchors"). */

export const anchorValueParameter = textParameter(
  'value',
  'Only anchors of this value: a uid or another hash, in any case, or an id of Sign Protocol, exactly.',
)

/** A misspelt name is refused: an empty answer would tell that nothing was revoked. */
export const anchorTypeParameter = choiceParameter({
  name: 'type',
  description: 'Only anchors by the event of this name.',
  choices: ['Timestamped', 'RevokedOffchain', 'OffchainAttestationMade', 'OffchainAttestationRevoked'],
})

export const anchorAccountParameter = addressFilterParameter(
  'account',
  'Only anchors that this account is known to have made.',
)
