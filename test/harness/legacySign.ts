import type { SoliditySources } from '@attestry/demo/collectSources.ts'
import { signSourceName } from '@attestry/demo/compileSign.ts'

/**
 * Changes of the published sources (1.1.3) that restore the behaviour of earlier versions, whose sources no package
 * contains; for `startLocalChain({ changeSources })`.
 */

export const signInterfaceName = '@ethsign/sign-protocol-evm/src/interfaces/ISP.sol'

/** As up to 1.1.2: an attestation may be created revoked, without an event of the revocation. */
export function acceptBornRevoked(sources: SoliditySources): SoliditySources {
  return replaceIn(
    sources,
    signSourceName,
    /if \(attestation\.revoked \|\| attestation\.revokeTimestamp > 0\) \{\s*revert AttestationAlreadyRevoked\(\);\s*\}/,
    '',
  )
}

/** As in 1.0.x: ids in events are `uint256`, so that the events have other topics. */
export function emitUint256Ids(sources: SoliditySources): SoliditySources {
  return replaceIn(
    sources,
    signInterfaceName,
    /(event (?:SchemaRegistered|AttestationMade|AttestationRevoked)\()uint64/g,
    '$1uint256',
  )
}

function replaceIn(
  sources: SoliditySources,
  name: string,
  pattern: RegExp,
  replacement: string,
): SoliditySources {
  const text = sources[name] ?? ''
  const changed = text.replace(pattern, replacement)
  if (changed === text) throw new Error(`${name} does not hold what is to be replaced.`)
  return { ...sources, [name]: changed }
}
