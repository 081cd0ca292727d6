// The one thing that the page knows of cursors.

/**
 * Returns a cursor that continues with the current time. The cursors of a grid with relative times end in a dot and the time that they refer to, so that all pages
 * of a walk have the same filter. Without it, the cursor is the same position, and a new walk begins.
 */
export const atPresent = (cursor: string): string => cursor.replace(/\.[^.]*$/, '')
