import type { AsOf } from '@attestry/core/index/indexQueries.ts'
import { cutAt } from './cut.ts'
import { listKnownChains } from './knownChains.ts'
import type { ReadSessions } from './readSessions.ts'
import type { PastSession, ReadSession } from './session.ts'

/** The sessions of an index whose reads end at a moment. */
export interface PastSessions extends ReadSessions {
  readPast<Result>(work: (session: PastSession) => Promise<Result>): Promise<Result>
}

export function sessionsAsOf(sessions: ReadSessions, moment: AsOf): PastSessions {
  const within =
    <Rest extends readonly unknown[], Result>(
      work: (session: PastSession, ...rest: Rest) => Promise<Result>,
    ) =>
    async (session: ReadSession, ...rest: Rest): Promise<Result> => {
      const cut = cutAt(await listKnownChains(session), moment)
      return await work({ ...session, cut }, ...rest)
    }
  return {
    ...sessions,
    // Such a read takes several statements, which have to see one state.
    readOnce: (work) => sessions.read('kept', within(work)),
    read: (plans, work) => sessions.read(plans, within(work)),
    readPast: (work) => sessions.read('kept', within(work)),
    countLong: (work, budget, turn) => sessions.countLong(within(work), budget, turn),
  }
}
