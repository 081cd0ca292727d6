// An introspection has no room for directives that are applied, so of @requires only the definition can be compared.
export default ({changes}) =>
  changes.filter(({type, meta}) => !(type.startsWith('DIRECTIVE_USAGE') && meta.removedDirectiveName === 'requires'))
