import { daySeconds } from '@attestry/core/model/time.ts'
import type { ActivitySubject } from '@attestry/core/index/indexQueries.ts'
import type { ActivityDay } from '@attestry/core/index/storedRecords.ts'
import { limitSize, readLimit } from '../input/readLimit.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'

const days = { name: 'days', minimum: 1, maximum: 1000, absent: 30 }

/** A field `activity` of something that has counts by day. */
export function activityBehaviour<Source>(
  subjectOf: (source: Source) => ActivitySubject,
): FieldBehaviour<Source> {
  return {
    size: (values) => limitSize(days, values),
    resolve: async (source, values, { reader }) => {
      const limit = readLimit(days, values)
      return (await reader.listActivity(subjectOf(source))).slice(-limit)
    },
  }
}

export const activityBehaviours = {
  ActivityDay: {
    date: ({ day }) => new Date(day * daySeconds * 1000).toISOString().slice(0, 10),
    timestamp: ({ day }) => day * daySeconds,
  },
} satisfies { readonly ActivityDay: TypeBehaviour<ActivityDay> }
