// ESLint rules on the imports among the client's own modules. They see every form of import: also types, re-exports and import().

import {readFileSync, statSync} from 'node:fs'
import {dirname, relative, resolve, sep} from 'node:path'
import ts from 'typescript'

/** @typedef {{target: string, start: number, end: number}} Import An imported file, and where its name is in the text. */

/**
 * No module imports itself through others.
 * @type {import('eslint').Rule.RuleModule}
 */
const noCycle = {
  meta: {type: 'problem', schema: []},
  create: context =>
    eachImport(context, ({target}) => {
      const path = pathTo(context.filename, target)
      const names = path?.map(file => relative(dirname(context.filename), file).replaceAll(sep, '/'))
      return names && `This module imports itself: ${names.join(' imports ')}.`
    }),
}

/**
 * A module imports from its own folder and from those that the table names for it. A folder may name only folders above it in the table, so the table can
 * have no cycle. Folders are relative to `root`; a file belongs to the longest that it is in. Tests (*.test.ts) may import everything.
 * @type {import('eslint').JSRuleDefinition<{RuleOptions: [{root: string, folders: Record<string, string[]>}]}>}
 */
const direction = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: {root: {type: 'string'}, folders: {type: 'object', additionalProperties: {type: 'array', items: {type: 'string'}}}},
        required: ['root', 'folders'],
        additionalProperties: false,
      },
    ],
  },
  create: context => {
    const [{root, folders}] = context.options
    const names = Object.keys(folders)
    names.forEach((name, i) => {
      const wrong = folders[name]?.find(other => !names.slice(0, i).includes(other))
      if (wrong !== undefined) throw new Error(`${name} names ${wrong}, which is not above it in the table of folders`)
    })
    /** @param {string} file */
    const folderOf = file => {
      const path = relative(resolve(context.cwd, root), file).replaceAll(sep, '/')
      return names.filter(name => path.startsWith(name + '/')).sort((a, b) => b.length - a.length)[0]
    }
    if (/\.test\.tsx?$/.test(context.filename)) return {}
    const own = folderOf(context.filename)
    return eachImport(context, ({target}) => {
      const other = folderOf(target)
      if (own === undefined) return `The folder of this module is not in the table of folders in eslint.config.js.`
      if (other === own || (other !== undefined && folders[own]?.includes(other))) return undefined
      return `Modules of ${own} may not import from ${other ?? 'a folder that is not in the table'}; see the table of folders in eslint.config.js.`
    })
  },
}

export default {rules: {'no-cycle': noCycle, direction}}

/**
 * Reports the imports that have a problem.
 * @param {Pick<import('eslint').Rule.RuleContext, 'filename' | 'sourceCode' | 'report'>} context
 * @param {(found: Import) => string | undefined} problemOf
 * @returns {import('eslint').Rule.RuleListener}
 */
function eachImport(context, problemOf) {
  const {filename, sourceCode} = context
  return {
    Program() {
      for (const found of parse(filename, sourceCode.text)) {
        const message = problemOf(found)
        if (message === undefined) continue
        context.report({message, loc: {start: sourceCode.getLocFromIndex(found.start), end: sourceCode.getLocFromIndex(found.end)}})
      }
    },
  }
}

/**
 * The shortest chain of imports that ends at a file and begins with another; undefined where there is none.
 * @param {string} to
 * @param {string} from
 * @returns {string[] | undefined}
 */
function pathTo(to, from) {
  const seen = new Set([from])
  const paths = [[from]]
  for (const path of paths) {
    const last = path[path.length - 1] ?? ''
    if (last === to) return path
    for (const {target} of importsOf(last)) {
      if (seen.has(target)) continue
      seen.add(target)
      paths.push([...path, target])
    }
  }
  return undefined
}

/** @type {Map<string, {changed: number, imports: Import[]}>} What was parsed, so that an editor that keeps the rules running sees changes. */
const parsed = new Map()

/**
 * @param {string} file
 * @returns {Import[]}
 */
function importsOf(file) {
  if (!/\.tsx?$/.test(file)) return []
  const changed = statSync(file).mtimeMs
  const known = parsed.get(file)
  if (known?.changed === changed) return known.imports
  const imports = parse(file, readFileSync(file, 'utf8'))
  parsed.set(file, {changed, imports})
  return imports
}

/**
 * The files that a text imports by relative names. Names of no file are the type checker's business.
 * @param {string} file
 * @param {string} text
 * @returns {Import[]}
 */
function parse(file, text) {
  /** @type {Import[]} */
  const imports = []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  /** @param {ts.Node} node */
  const visit = node => {
    const name = nameIn(node)
    if (name && ts.isStringLiteralLike(name) && name.text.startsWith('.')) {
      const target = resolved(resolve(dirname(file), name.text.replace(/\?.*$/, '')))
      if (target) imports.push({target, start: name.getStart(source), end: name.end})
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return imports
}

/**
 * What stands for a module in an import of any form.
 * @param {ts.Node} node
 * @returns {ts.Node | undefined}
 */
function nameIn(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  return undefined
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function resolved(path) {
  return [path, path + '.ts', path + '.tsx', resolve(path, 'index.ts')].find(p => statSync(p, {throwIfNoEntry: false})?.isFile())
}
