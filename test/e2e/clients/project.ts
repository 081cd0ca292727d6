import {post} from './plain.ts'

export interface Project {
  id: string
  states: Record<string, string>
  fields: Record<string, string>
  // Ids of the options of the field Priority and of the field Systems, by their names.
  options: Record<string, string>
}

async function change<T>(url: string, query: string, input: object): Promise<T> {
  const {data, errors} = await post(url, query, {input})
  if (errors) throw new Error(JSON.stringify(errors))
  return data as T
}

let projects = 0

// newProject makes a project with a field of each type. All of them have states, fields and options of the same names.
export async function newProject(url: string, tenant: string): Promise<Project> {
  const {createProject} = await change<{createProject: {project: {id: string; states: {id: string; name: string}[]}}}>(
    url,
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { project { id states { id name } } } }',
    {
      tenantId: tenant,
      key: `C${process.pid}_${++projects}`,
      name: `Project ${projects}`,
      states: [
        {name: 'Open', open: true},
        {name: 'Closed', open: false},
      ],
    },
  )
  const {id, states} = createProject.project
  const project: Project = {id, states: Object.fromEntries(states.map((state) => [state.name, state.id])), fields: {}, options: {}}
  const choices = {Priority: ['High', 'Low'], Systems: ['Engine', 'Hull']}
  const types = {
    Text: 'TEXT', Report: 'LONG_TEXT', Hours: 'INTEGER', Cost: 'NUMBER', Due: 'DATE', Inspected: 'DATETIME', Safety: 'BOOLEAN', Priority: 'SELECT',
    Systems: 'MULTI_SELECT', Tags: 'TAGS', Assignee: 'USER',
  }
  for (const [name, type] of Object.entries(types)) {
    const options = choices[name as keyof typeof choices]?.map((name) => ({name}))
    const {createCustomField} = await change<{createCustomField: {field: {id: string; options: {id: string; name: string}[]}}}>(
      url,
      'mutation ($input: CreateCustomFieldInput!) { createCustomField(input: $input) { field { id options { id name } } } }',
      {projectId: id, name, type, options},
    )
    project.fields[name] = createCustomField.field.id
    for (const option of createCustomField.field.options) project.options[option.name] = option.id
  }
  return project
}
