import type { SoliditySources } from '../../src/demo/collectSources.ts'
import { signSourceName } from '../../src/demo/compileSign.ts'

/**
 * Changes of the published sources (1.1.3) that give them the behaviour of earlier versions, whose own sources no
 * package holds; for `startLocalChain({ changeSources })`.
 */

/** As up to 1.1.2: an attestation may be made revoked, and no event ever says so. */
export function acceptBornRevoked(sources: SoliditySources): SoliditySources {
  return replaceIn(
    sources,
    signSourceName,
    /if \(attestation\.revoked \|\| attestation\.revokeTimestamp > 0\) \{\s*revert AttestationAlreadyRevoked\(\);\s*\}/,
    '',
  )
}

/** As in 1.0.x: the ids in the events of records are `uint256`, so that these have other topics. */
export function emitUint256Ids(sources: SoliditySources): SoliditySources {
  const interfaceName = '@ethsign/sign-protocol-evm/src/interfaces/ISP.sol'
  return replaceIn(
    sources,
    interfaceName,
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
