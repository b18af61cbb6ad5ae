/**
 * Views that wings make over the tables of the index. A wing notes each of them in this table, which it makes itself.
 * A step of the layout drops them, and the next start of the wing makes them anew.
 */
export const furtherViewTable = 'sql_view'

/** The select of the names of these views; the table exists. */
export const selectFurtherViews = `SELECT view FROM ${furtherViewTable} ORDER BY view`
