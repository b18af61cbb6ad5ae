import type { BesideDatabase, BesideLayout } from '@attestry/store/beside/besideDatabase.ts'
import type { StateProof } from './stateProof.ts'

/** A proof as it was taken. */
export interface KeptProof {
  readonly proof: StateProof
  /** Unix seconds. */
  readonly at: number
}

/** Proofs that all processes over an index share. */
export interface KeptProofs {
  /** @param text the proof as JSON. */
  put(subject: string, entry: KeptProof, text: string): Promise<void>
  /** The proof of a subject at the block with a hash; null for the hash: the newest one. Null if it is not kept. */
  find(subject: string, blockHash: string | null): Promise<KeptProof | null>
  close(): Promise<void>
}

export const keptProofsLayout: BesideLayout = {
  name: 'proofs',
  // "Atpr" in ASCII.
  number: 0x41747072,
  steps: [
    ({ prefix, integer, sequence }) => `
  CREATE TABLE ${prefix}proof (
    sequence ${sequence},
    subject text NOT NULL,
    block_hash text NOT NULL,
    taken_at ${integer} NOT NULL,
    characters ${integer} NOT NULL,
    proof_json text NOT NULL,
    UNIQUE (subject, block_hash)
  );
  CREATE INDEX proof_by_subject ON ${prefix}proof (subject, sequence);
  CREATE INDEX proof_by_size ON ${prefix}proof (sequence, characters);
`,
  ],
}

/** Characters of proofs that are kept; the oldest go first. */
const charactersMax = 64 * 1024 * 1024

export function openKeptProofs(database: BesideDatabase, keptMax = charactersMax): KeptProofs {
  const table = `${database.prefix}proof`
  return {
    put: (subject, { proof, at }, text) =>
      database.transact(async (statements) => {
        await statements.all(
          `INSERT INTO ${table} (subject, block_hash, taken_at, characters, proof_json) VALUES (?, ?, ?, ?, ?) ` +
            'ON CONFLICT (subject, block_hash) DO NOTHING RETURNING sequence',
          subject,
          proof.block.hash,
          at,
          text.length,
          text,
        )
        await statements.all(
          `DELETE FROM ${table} WHERE sequence <= (SELECT max(s.sequence) FROM (SELECT sequence, ` +
            `sum(characters) OVER (ORDER BY sequence DESC) AS total FROM ${table}) AS s WHERE s.total > ?) ` +
            'RETURNING sequence',
          keptMax,
        )
      }),
    find: async (subject, blockHash) => {
      const ofBlock = blockHash === null ? '' : ' AND block_hash = ?'
      const [row] = await database.all<[takenAt: number, proofJson: string]>(
        `SELECT taken_at, proof_json FROM ${table} WHERE subject = ?${ofBlock} ORDER BY sequence DESC LIMIT 1`,
        subject,
        ...(blockHash === null ? [] : [blockHash]),
      )
      // `put` wrote the text.
      return row === undefined ? null : { at: row[0], proof: JSON.parse(row[1]) as StateProof }
    },
    close: () => database.close(),
  }
}
