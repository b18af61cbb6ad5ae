import { Type } from 'typebox'
import { protocolNames, type KnownProtocol } from '@attestry/core/model/protocolNames.ts'
import { choiceParameter } from './choiceParameter.ts'
import type { Parameter } from './parameter.ts'

/** A protocol as an optional filter. A name that no protocol has is refused: an empty page would hide the mistake. */
export const protocolParameter = describedProtocol('Only records of this protocol.')

/** The protocol of the records that ids name. */
export const idProtocolParameter = describedProtocol(
  'Protocol of the record: two protocols may have the same id on one chain. Without it, the first by name is meant.',
)

/**
 * The names are a pattern and no enumeration: in answers `protocol` is any text, which generated clients must be able
 * to pass back.
 */
function describedProtocol(description: string): Parameter<KnownProtocol | null> {
  return {
    ...choiceParameter({ name: 'protocol', description, choices: protocolNames }),
    schema: Type.String({ pattern: `^(${protocolNames.join('|')})$`, description, examples: ['eas'] }),
  }
}
