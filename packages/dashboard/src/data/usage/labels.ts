/** Texts about usage that several features show. */

/** What all pages count as an evaluation. */
export const evaluationDefinition =
  'An evaluation is one request of an app for values: of one variable, a batch or a pull.'
